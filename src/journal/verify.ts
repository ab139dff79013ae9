/**
 * Whether what is kept of a run is what was written: the chain in the store, its end, the texts it
 * refers to, and the log file line by line.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hashOfLine, referencesOf, sha256 } from './events.ts';
import { foldHash, logPath, renderLine } from './log.ts';
import { type EventStore, GENESIS, type Head, type LogPosition } from './store.ts';

/**
 * In the store: an event is not the written one, is missing, or the last ones are; a text is not the
 * written one, is gone, or was forgotten on purpose (no fault). In the log file: the same for its
 * lines; foreign = not an event of this run; torn = the last line has no end, as a crash leaves it.
 * Signatures: see sign.ts.
 */
export type ProblemCode =
  | 'unknown_run'
  | 'event_changed'
  | 'event_missing'
  | 'events_cut'
  | 'text_changed'
  | 'text_missing'
  | 'text_forgotten'
  | 'log_missing'
  | 'log_changed'
  | 'log_line_missing'
  | 'log_cut'
  | 'log_foreign'
  | 'log_torn'
  | 'signature_missing'
  | 'signature_wrong'
  | 'signature_behind';
export interface Problem {
  code: ProblemCode;
  seq?: number;
  message: string;
}
export interface Verification {
  /** No problem but texts forgotten on purpose. */
  ok: boolean;
  /** Events in the store. */
  events: number;
  problems: Problem[];
}

/** Without a directory only the store is looked at. */
export async function verifyRun(store: EventStore, run_id: string, directory?: string): Promise<Verification> {
  const head = await store.head(run_id);
  if (!head) return { ok: false, events: 0, problems: [{ code: 'unknown_run', message: `there is no run ${run_id} in this store` }] };
  const lines = await store.lines(run_id);
  const problems = [...checkChain(lines, head), ...(await checkTexts(store, lines))];
  if (directory !== undefined) problems.push(...(await checkLog(logPath(directory, head), lines, await store.log.position(run_id))));
  return { ok: problems.every(({ code }) => code === 'text_forgotten'), events: lines.length, problems };
}

function checkChain(lines: readonly string[], head: Head): Problem[] {
  const problems: Problem[] = [];
  let last: { seq: number; hash: string | undefined } = { seq: 0, hash: GENESIS };
  for (const line of lines) {
    const event = hashOfLine(line);
    const seq = last.seq + 1;
    if (event && event.seq !== seq) {
      problems.push({ code: 'event_missing', seq, message: `event ${seq} is missing in the store; ${event.seq} follows` });
    } else if (event?.hash !== event?.expected || (last.hash !== undefined && event?.prev_hash !== last.hash)) {
      problems.push({ code: 'event_changed', seq, message: `event ${seq} in the store is not the one that was written` });
    }
    last = { seq: event?.seq ?? seq, hash: event?.hash };
  }
  if (last.seq !== head.seq || (last.hash ?? head.hash) !== head.hash) {
    problems.push({
      code: 'events_cut',
      message: `the events in the store end at ${last.seq}, the run at ${head.seq} (hash ${head.hash})`,
    });
  }
  return problems;
}

async function checkTexts(store: EventStore, lines: readonly string[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, line] of lines.entries()) {
    const seq = index + 1;
    for (const { $content, bytes } of referencesOf(line)) {
      const text = await store.contents.get($content);
      const which = `a text of event ${seq} (${bytes} bytes, sha256 ${$content})`;
      if (text === undefined) problems.push({ code: 'text_missing', seq, message: `${which} is missing in the store` });
      else if (text === null) problems.push({ code: 'text_forgotten', seq, message: `${which} was forgotten` });
      else if (sha256(text) !== $content) problems.push({ code: 'text_changed', seq, message: `${which} is not the one that was written` });
    }
  }
  return problems;
}

async function checkLog(path: string, stored: readonly string[], position: LogPosition): Promise<Problem[]> {
  if (!existsSync(path)) {
    return position.seq === 0
      ? []
      : [{ code: 'log_missing', message: `${path} is missing; ${position.seq} events had been written to it` }];
  }
  const bytes = await readFile(path);
  const untouched = isAsWritten(bytes, position);
  const lines = bytes.toString().split('\n');
  const torn = lines.pop();
  const { problems, last } = checkLines(lines, new Map(stored.map((line) => [hashOfLine(line)?.seq, line])), untouched);
  if (torn) problems.push({ code: 'log_torn', seq: last + 1, message: `the last line of ${path} has no end` });
  if (last < position.seq)
    problems.push({ code: 'log_cut', seq: last, message: `${path} ends at event ${last}; ${position.seq} had been written` });
  if (!untouched && problems.length === 0) problems.push({ code: 'log_changed', message: `${path} is not byte for byte what was written` });
  return problems;
}

function isAsWritten(bytes: Buffer, position: LogPosition): boolean {
  const lines = bytes
    .subarray(0, position.bytes)
    .toString()
    .split(/(?<=\n)/);
  return lines.filter(Boolean).reduce(foldHash, '') === position.hash;
}

/** `untouched`: a line that an older version of the masking patterns has written may differ from what it would be today. */
function checkLines(
  lines: readonly string[],
  stored: Map<number | undefined, string>,
  untouched: boolean,
): { problems: Problem[]; last: number } {
  const problems: Problem[] = [];
  let last = 0;
  for (const line of lines) {
    const event = hashOfLine(line);
    const seq = event?.seq ?? last + 1;
    const origin = stored.get(seq);
    if (seq > last + 1) {
      const message = `event ${last + 1} is missing in the log; ${seq} follows`;
      problems.push({ code: 'log_line_missing', seq: last + 1, message });
    }
    if (origin === undefined || seq <= last) {
      problems.push({ code: 'log_foreign', seq, message: `the log holds an event ${seq} that the store does not have there` });
    } else if (`${line}\n` !== renderLine(origin) && !(untouched && event?.hash === hashOfLine(origin)?.hash)) {
      problems.push({ code: 'log_changed', seq, message: `event ${seq} in the log is not the one that was written` });
    }
    last = Math.max(last, seq);
  }
  return { problems, last };
}
