/** One question to a database, asked by a process of its own: a query that never ends is ended with it. */

import { HermesError } from '../kernel/errors.ts';
import { moduleFile } from '../package.ts';
import type { Answered, Database, DatabaseRequest, Schema, Table } from './types.ts';

/** How a process is started: `exec` of a tool's context, or anything like it. */
export type Exec = (
  command: readonly string[],
  options: { input: string; onlyEnv: true; maxBytes: number; timeoutMs: number; limits: { memoryBytes: number } },
) => Promise<{ stdout: string; ended?: string }>;

const MEMORY = 1_000_000_000;
/** Milliseconds that starting the process and closing the connection may take besides. */
const GRACE = 3000;

/** Throws a HermesError of kind `tool` that says what would help. */
export async function askDatabase(database: Database, request: DatabaseRequest, exec: Exec): Promise<Table | Schema> {
  const child = moduleFile('sql/child');
  const { stdout, ended } = await exec([process.execPath, '--disable-warning=ExperimentalWarning', child], {
    input: JSON.stringify({ database, request }),
    onlyEnv: true,
    maxBytes: 10_000_000,
    timeoutMs: request.timeoutMs + GRACE,
    limits: { memoryBytes: MEMORY },
  });
  if (ended === 'time') throw failed('too_slow', 'the query took too long and was ended', 'filter earlier, aggregate, or ask for less');
  if (ended !== undefined) throw failed('too_large', 'the query needs too much memory and was ended', 'ask for less');
  const answer = answered(stdout);
  if ('data' in answer) return answer.data;
  const { code, message, next } = answer.error;
  throw failed(code, message, next);
}

function answered(stdout: string): Answered {
  try {
    return JSON.parse(stdout) as Answered;
  } catch {
    return {
      error: { code: 'database_error', message: 'the process that asks the database ended without an answer', next: 'ask for less' },
    };
  }
}

function failed(code: string, message: string, next?: string): HermesError {
  return new HermesError(code, message, { kind: 'tool', ...(next === undefined ? {} : { next }) });
}
