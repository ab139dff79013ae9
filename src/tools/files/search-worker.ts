/** Runs inside a worker thread: finds lines in files, where a pattern may take for ever without harm to anybody else. */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { toText } from './form.ts';

export interface WorkerQuery {
  root: string;
  paths: readonly string[];
  pattern: string;
  isRegex: boolean;
  ignoresCase: boolean;
  context: number;
  mostBytes: number;
  perFile: number;
}
export interface Found {
  line: number;
  text: string;
  isHit: boolean;
}

const query = workerData as WorkerQuery;

function patternOf({ pattern, isRegex, ignoresCase }: WorkerQuery): RegExp | string {
  try {
    return new RegExp(isRegex ? pattern : RegExp.escape(pattern), ignoresCase ? 'iu' : 'u');
  } catch (error) {
    return (error as Error).message;
  }
}

function linesOf(path: string): string[] {
  const file = join(query.root, path);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > query.mostBytes) return [];
  return (toText(readFileSync(file))?.text ?? '').split('\n');
}

function foundIn(lines: readonly string[], pattern: RegExp): Found[] {
  const hits = lines.flatMap((line, index) => (pattern.test(line) ? [index] : [])).slice(0, query.perFile);
  const near = new Set(hits.flatMap((hit) => Array.from({ length: 2 * query.context + 1 }, (_, at) => hit - query.context + at)));
  return [...near]
    .filter((index) => index >= 0 && index < lines.length)
    .sort((a, b) => a - b)
    .map((index) => ({ line: index + 1, text: lines[index]!, isHit: hits.includes(index) }));
}

const pattern = patternOf(query);
if (typeof pattern === 'string') parentPort!.postMessage(pattern);
else {
  const hits = new Map<string, Found[]>();
  for (const path of query.paths) {
    const found = foundIn(linesOf(path), pattern);
    if (found.length > 0) hits.set(path, found);
  }
  parentPort!.postMessage(hits);
}
