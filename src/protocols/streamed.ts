/** Filters for streamed text: people see the answer as it is written, and nothing of the form around it. */

import { FINISH } from './calls.ts';
import { ENDS_ANSWER, labelsIn, mayBeLabel } from './react-text.ts';

type Filter = (piece: string) => string;

/** Shows the value of "answer" and nothing else of the object: a text decoded, anything else as it is written. Keeps only what it still has to look at. */
export function answerOnly(): Filter {
  let seen = '';
  let state: 'before' | 'text' | 'over' = 'before';
  let value: Filter | undefined;
  return (piece) => {
    if (state === 'over') return '';
    if (value) return value(piece);
    seen += piece;
    if (state === 'before') {
      const at = answerAt(seen);
      state = at === 'none' ? 'over' : at === undefined ? 'before' : 'text';
      seen = typeof at === 'number' ? seen.slice(at) : seen.slice(-KEY_LENGTH);
      if (typeof at !== 'number') return '';
      if (!seen.startsWith('"')) {
        value = jsonOnly(/[^\s]/);
        return value(seen);
      }
      seen = seen.slice(1);
    }
    const end = closingQuote(seen, 0);
    if (end >= 0) state = 'over';
    const stop = end >= 0 ? end : safeEnd(seen, 0);
    const shown = seen.slice(0, stop);
    seen = seen.slice(stop);
    return decode(shown);
  };
}

/** Where the value of "answer" begins; none = a call, whose arguments may be named so, too. */
function answerAt(seen: string): number | 'none' | undefined {
  for (const match of seen.matchAll(/"action"\s*:\s*"([^"]+)"|"(?:answer|final_answer)"\s*:\s*(?=["{[\d-]|true|false)/g)) {
    if (match[1] === undefined) return match.index + match[0].length;
    if (!FINISH.test(match[1])) return 'none';
  }
  return undefined;
}

/** More than a key with the blanks around its colon takes. */
const KEY_LENGTH = 200;

/** Shows one JSON value, from the first character that `begins` one to its end. What stands before and behind is left out. */
export function jsonOnly(begins = /[{[]/): Filter {
  let state: 'before' | 'inside' | 'over' = 'before';
  let depth = 0;
  let inString = false;
  let escaped = false;

  /** Whether the character still belongs to the value. */
  function take(character: string): boolean {
    if (state === 'before' && begins.test(character)) state = 'inside';
    if (state === 'inside' && depth === 0 && !inString && /[\s,}\]]/.test(character)) state = 'over';
    if (state !== 'inside') return false;
    if (escaped) escaped = false;
    else if (character === '\\') escaped = inString;
    else if (character === '"') inString = !inString;
    else if (!inString && /[{[]/.test(character)) depth++;
    else if (!inString && /[}\]]/.test(character) && --depth === 0) state = 'over';
    return true;
  }

  return (piece) => {
    let shown = '';
    for (const character of piece) if (take(character)) shown += character;
    return shown;
  };
}

/** Shows what stands behind `Final Answer:`, up to a label that ends it; not the thoughts before, and nothing of a reply that acts. */
export function finalAnswerOnly(): Filter {
  let state: 'before' | 'answer' | 'over' = 'before';
  /** The line under way, as long as it could begin with a label; undefined = it does not, and goes on as it began. */
  let line: string | undefined = '';
  let thinking = false;
  const show = trimmed();

  function outsideThinking(text: string): string {
    thinking ||= /<think/i.test(text);
    const said = text.replace(/^.*<\/think\w*>/i, '');
    if (said !== text) thinking = false;
    return thinking ? said.slice(-LABEL_LENGTH) : said;
  }

  /** What of the line is shown, once it is clear whether it begins with a label. */
  function judge(whole: boolean): string {
    if (line === undefined) return '';
    if (state === 'before') line = outsideThinking(line);
    if (thinking) return '';
    const [place] = labelsIn(line);
    const isLabel = place?.from === 0 && (whole || (line.length > place.to && /[:：]/.test(line.slice(0, place.to))));
    if (!isLabel) {
      if (!whole && line.length < LABEL_LENGTH && (state === 'before' || mayBeLabel(line))) return '';
      const shown = state === 'answer' ? show(line) : '';
      line = undefined;
      return shown;
    }
    const isInAnswer = state === 'answer' && !ENDS_ANSWER.includes(place.label);
    const shown = isInAnswer ? line : line.slice(place.to);
    line = undefined;
    if (state === 'before') state = place.label === 'answer' ? 'answer' : place.label === 'action' ? 'over' : 'before';
    else if (!isInAnswer) state = 'over';
    return state === 'answer' ? show(shown) : '';
  }

  return (piece) => {
    let shown = '';
    for (const part of piece.split(/(?<=\n)/)) {
      if (state === 'over') break;
      const whole = part.endsWith('\n');
      if (line === undefined) shown += state === 'answer' ? show(part) : '';
      else {
        line += whole ? part.slice(0, -1) : part;
        shown += judge(whole);
        if (whole && state === 'answer') shown += show('\n');
      }
      if (whole) line = '';
    }
    return shown;
  };
}

/** More characters than a label and its ornaments take. */
const LABEL_LENGTH = 100;

/** Without white space before the first and behind the last visible character. */
function trimmed(): Filter {
  let held = '';
  let begun = false;
  return (piece) => {
    const text = held + piece;
    const end = text.trimEnd().length;
    const start = begun || end === 0 ? 0 : text.length - text.trimStart().length;
    begun ||= end > 0;
    held = begun ? text.slice(end) : '';
    return text.slice(start, end);
  };
}

function closingQuote(seen: string, from: number): number {
  for (let i = from; i < seen.length; i++) {
    if (seen[i] === '\\') i++;
    else if (seen[i] === '"') return i;
  }
  return -1;
}

/** Never inside an escape: `\`, `\u12`. */
function safeEnd(seen: string, from: number): number {
  const open = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(seen.slice(from));
  return open && (seen.slice(from, from + open.index).match(/\\+$/)?.[0].length ?? 0) % 2 === 0 ? from + open.index : seen.length;
}

/** Raw line breaks inside a JSON string are what models write; they are kept. */
function decode(escaped: string): string {
  const body = escaped.replace(/\n/g, '\\n').replace(/\r/g, '').replace(/\t/g, '\\t');
  try {
    return JSON.parse(`"${body}"`) as string;
  } catch {
    return escaped; // an escape that JSON does not know is shown as it was written
  }
}
