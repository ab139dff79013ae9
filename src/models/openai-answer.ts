/** Reads the body of an answer, whole or streamed, and names what is wrong with one that is none. */

import { HermesError } from '../kernel/errors.ts';
import type { Reply } from '../kernel/types.ts';
import type { Incoming } from './http.ts';
import { badChunk, notCompletion, type Place, statusError } from './http-errors.ts';
import { type Completion, ReplyReader } from './openai-reply.ts';
import { dataLines } from './sse.ts';
import type { Delta } from './types.ts';

export function isStream({ headers }: Incoming): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

/** The content type decides, not the request: some servers answer whole when asked to stream, some the other way. */
export async function readAnswer(place: Place, incoming: Incoming, onDelta: ((delta: Delta) => void) | undefined): Promise<Reply> {
  const reader = new ReplyReader();
  if (isStream(incoming)) return readStream(place, incoming, reader, onDelta);
  const type = incoming.headers['content-type'] ?? '';
  const body = await readText(incoming);
  const completion = parse(body);
  const status = completion && refusalStatus(completion);
  if (status !== undefined) throw statusError(place, status, incoming.headers, body);
  if (!completion?.choices?.length) throw notCompletion(place, type, body);
  reader.add(completion);
  const delta = reader.takeDelta();
  if (delta) onDelta?.(delta);
  return reader.reply({ whole: true });
}

/**
 * What was read before the wire failed is not lost: the reply is `interrupted` then, with the failure as its raw
 * finish reason. Only a stream that failed before its first piece of an answer, or that names an error, throws.
 */
async function readStream(place: Place, incoming: Incoming, reader: ReplyReader, onDelta?: (delta: Delta) => void): Promise<Reply> {
  let done = false;
  const readLines = dataLines((data) => {
    if (data.startsWith('[DONE]')) done = true;
    else if (data.trim() !== '') reader.add(parseChunk(place, data));
  });
  const read = (piece: Buffer) => {
    readLines(piece);
    const delta = onDelta && reader.takeDelta();
    if (delta) onDelta?.(delta);
  };
  try {
    await incoming.read(read);
    read(lastLine);
  } catch (error) {
    const cut = error instanceof HermesError && wireFaults.has(error.code) ? error.code : undefined;
    if (cut === undefined || (reader.empty && !done)) throw error;
    // A server that keeps the connection open after [DONE] has answered all the same.
    if (!done) return reader.reply({ cut });
  }
  return reader.reply({ done });
}

const wireFaults = new Set(['connection_lost', 'stream_silent', 'response_too_large']);
/** Ends a last line that came without a line feed. */
const lastLine = Buffer.from('\n');

function parseChunk(place: Place, data: string): Completion {
  const chunk = parse(data);
  if (!chunk) throw badChunk(place, data);
  const status = refusalStatus(chunk);
  if (status !== undefined) throw statusError(place, status, {}, data);
  return chunk;
}

function parse(text: string): Completion | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const object = Array.isArray(value) ? value[0] : value; // Google puts its errors into an array
    return typeof object === 'object' && object !== null ? object : undefined;
  } catch {
    return undefined; // not JSON: named by the caller, who knows where it came from
  }
}

/** The HTTP status that a refusal under status 200 stands for, 0 where it says none; undefined = it is no refusal. */
function refusalStatus({ error, base_resp }: Completion): number | undefined {
  if (base_resp?.status_code) return base_resp.status_code >= 2000 ? 400 : 0; // MiniMax: from 2000 on the request is at fault
  if (!error) return undefined;
  const { code, status } = (typeof error === 'object' ? error : {}) as { code?: unknown; status?: unknown };
  const named = Number(code ?? status);
  return named >= 400 && named < 600 ? named : 0;
}

export async function readText(incoming: Incoming): Promise<string> {
  const pieces: Buffer[] = [];
  await incoming.read((piece) => pieces.push(piece));
  return (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)).toString();
}
