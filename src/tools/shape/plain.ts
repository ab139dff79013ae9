/** Long texts without a form of their own, logs, tables and what is no text: what of them is shown in little room. */

import { count, headOf, tailOf } from './text.ts';
import { type Language, TEXT } from './words.ts';

/** Characters that a log or a table is recognised by. */
const LOOKED_AT = 20_000;

/** Head and tail, with what lies between counted. */
export function shapeText(text: string, room: number, language: Language): string {
  const gap = (left: number) => `\n${TEXT[language].leftOut(count(left))}\n`;
  const space = Math.max(0, room - gap(text.length).length);
  const head = headOf(text, Math.ceil(space * 0.7));
  const tail = tailOf(text, space - head.length);
  return head + gap(text.length - head.length - tail.length) + tail;
}

// ---- logs ------------------------------------------------------------------------------------------------

const LEVEL = /\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|SEVERE)\b/;
const STAMP =
  /^\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\w{3} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d\b|\d{10,13}\b|\{"(?:level|ts|time)")/;
const FAILURE =
  /\b(?:ERROR|ERR!?|FATAL|CRITICAL|SEVERE|PANIC|FAIL(?:ED|URE)?|Exception|Traceback|error:|error [A-Z]*\d+|panic:|not ok)\b|错误|失败|异常|致命/;
const PROGRAM_ERROR = /^(?:.{0,200}\s)?(?:ERROR|FATAL|Traceback|[A-Za-z]*Error:|error:|error\[|error [A-Z]*\d+:|panic:|not ok )/m;
const WARNING = /\bWARN(?:ING)?\b|警告/;

export function isLog(text: string): boolean {
  const lines = text.slice(0, LOOKED_AT).split('\n').slice(0, 50);
  const logged = lines.filter((line) => LEVEL.test(line.slice(0, 120)) || STAMP.test(line)).length;
  return (lines.length >= 5 && logged >= lines.length * 0.5) || isOutput(text);
}

/** Of a program, with an error in it: many short lines. */
function isOutput(text: string): boolean {
  const lines = text.slice(0, LOOKED_AT).split('\n');
  return lines.length >= 20 && lines.length * 200 > Math.min(text.length, LOOKED_AT) && PROGRAM_ERROR.test(text);
}

/** How many lines of what kind, the errors with their numbers, then the end. */
export function shapeLog(text: string, room: number, language: Language): string {
  const words = TEXT[language];
  const errors: string[] = [];
  let [lines, failures, warnings, used] = [0, 0, 0, 0];
  for (let at = 0; at <= text.length; lines++) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, Math.min(end < 0 ? text.length : end, at + 2_000));
    at = end < 0 ? text.length + 1 : end + 1;
    if (FAILURE.test(line)) {
      failures += 1;
      const shown = `${lines + 1}| ${headOf(line, 300)}`;
      if (used + shown.length < room * 0.6) used += errors.push(shown) && shown.length + 1;
    } else if (WARNING.test(line)) warnings += 1;
  }
  const head = [words.log(count(lines), count(failures), count(warnings)), ...errors, words.end].join('\n');
  return `${head}\n${tailOf(text, Math.max(0, room - head.length - 1))}`;
}

// ---- tables ----------------------------------------------------------------------------------------------

/** The sign that parts columns: the same number of times, at least twice, in each of the first lines. */
export function delimiterOf(text: string): string | undefined {
  const lines = text.slice(0, LOOKED_AT).split('\n').slice(0, 12);
  if (lines.length < 4) return undefined;
  const rows = lines.slice(0, -1); // the last may have been cut
  return [',', '\t', ';', '|'].find((sign) => {
    const [first = 0, ...others] = rows.map((row) => row.replace(/"[^"]*"/g, '').split(sign).length - 1);
    return first >= 2 && others.every((times) => times === first);
  });
}

/** How many rows, the header, and as many rows of the beginning and the end as there is room for. */
export function shapeTable(text: string, delimiter: string, room: number, language: Language): string {
  const words = TEXT[language];
  const header = headOf(text.slice(0, text.indexOf('\n')), room / 3);
  let rows = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) rows += 1;
  const head = `${words.table(count(rows), header.split(delimiter).length)}\n${header}`;
  const space = room - head.length - words.more.length - 3;
  const first = wholeLines(text.slice(text.indexOf('\n') + 1, text.indexOf('\n') + 1 + space * 0.7));
  const last = tailOf(text.trimEnd(), Math.max(0, space - first.length));
  return [head, first, words.more, last.slice(last.indexOf('\n') + 1)].join('\n');
}

function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > 0 ? text.slice(0, end) : headOf(text, text.length - 1);
}

// ---- what is no text -------------------------------------------------------------------------------------

const MAGIC: readonly (readonly [hex: string, type: string])[] = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['52494646', 'image/webp'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['1f8b', 'application/gzip'],
];

/** By its first bytes. */
export function mediaTypeOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(8, bytes.byteLength)).toString('hex');
  return MAGIC.find(([start]) => hex.startsWith(start))?.[1] ?? 'application/octet-stream';
}

/** What stands for bytes. */
export function binaryNote(type: string, bytes: number): string {
  return `[binary: ${type}, ${count(bytes)} bytes]`;
}

/** Base64, or bytes that were taken for text; undefined = it is a text. */
export function binaryIn(text: string): string | undefined {
  const start = text.slice(0, 4_000);
  const data = /^data:([\w.+-]+\/[\w.+-]+);base64,/.exec(start);
  const body = data ? start.slice(data[0].length) : start;
  if (start.length > 200 && /^[A-Za-z0-9+/_-]+(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}\s*$/.test(body) && /\d/.test(body) && /[A-Z]/.test(body)) {
    const size = Math.floor(((text.length - (data?.[0].length ?? 0)) * 3) / 4);
    return binaryNote(data?.[1] ?? mediaTypeOf(Buffer.from(body.slice(0, 16), 'base64')), size);
  }
  const broken = start.split('\ufffd').length - 1;
  return broken > start.length * 0.05 ? binaryNote('application/octet-stream', text.length) : undefined;
}
