/**
 * When a call that failed is made again at once, without asking the model: where a repeat is safe, and the error may have passed in a
 * moment. Decided by the state and the error alone. A tool that has just failed in spite of that is not waited for once more.
 */

import type { Call, ErrorData, State } from '../kernel/types.ts';
import type { Tool } from './define.ts';

/** Further attempts, and the milliseconds before each; a tool that declares more waits as long as before the last. */
const RETRIES = 2;
const WAITS = [250, 1_000] as const;
/** What is over soon, as tools, services, Node and databases name it. */
const PASSING = new Set(
  `network rate_limited busy unavailable overloaded locked temporarily_unavailable ECONNRESET ECONNREFUSED ECONNABORTED EPIPE ENETUNREACH
  EHOSTUNREACH ENETDOWN EAI_AGAIN EBUSY EAGAIN SQLITE_BUSY SQLITE_LOCKED ERR_SQLITE_BUSY UND_ERR_SOCKET UND_ERR_CLOSED
  http_429 http_502 http_503 429 502 503 40001 40P01 57P03 53300`.split(/\s+/),
);
/** What took too long once often does so again: it is tried once more, never twice. */
const SLOW = new Set(['timeout', 'fetch_timeout', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'http_504', '504']);

export interface Failure {
  call: Call;
  tool: Tool;
  error: ErrorData;
  /** Attempts so far. */
  tries: number;
  /** Milliseconds of the tool's time limit that are left for all further attempts. */
  left: number;
}

/** Milliseconds to wait before the next attempt; undefined = the error stands. */
export function retryWait(state: State, { call, tool, error, tries, left }: Failure): number | undefined {
  const { retry, idempotent } = tool.settings;
  if (error.final || tool.childRunId || error.code === 'cancelled') return undefined;
  const isSafe = call.level === 'read' || call.idempotent === true || idempotent === true;
  const isSlow = SLOW.has(error.code);
  const mayPass = retry?.codes?.includes(error.code) || (isSafe && (error.retryable === true || isSlow || PASSING.has(error.code)));
  const most = isSlow ? Math.min(1, retry?.times ?? 1) : (retry?.times ?? RETRIES);
  if (!mayPass || tries > most || hasJustFailed(state, call, error)) return undefined;
  const wait = WAITS[tries - 1] ?? WAITS.at(-1)!;
  return wait < left ? wait : undefined;
}

function hasJustFailed({ trail }: State, { name }: Call, { code }: ErrorData): boolean {
  const last = trail.findLast((entry) => entry.name === name);
  return last !== undefined && !last.success && last.error_code === code;
}
