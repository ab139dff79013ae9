/** A model that an endpoint does not know: which ones it does. */

import { HermesError, nearest } from '../kernel/errors.ts';
import { createTransport } from './http.ts';
import type { Place } from './http-errors.ts';
import { readText } from './openai-answer.ts';
import { modelIds } from './probe.ts';

/** Milliseconds: an error is not held up longer by looking for a better one. */
const listMs = 2000;
const shown = 5;

/** The same error with the nearest names of GET /models; as it was when that cannot be asked. */
export async function withNearest(
  error: HermesError,
  place: Place,
  url: URL,
  headers: readonly string[],
  env: NodeJS.ProcessEnv | undefined,
): Promise<HermesError> {
  const transport = createTransport({ url, place, ...(env && { env }) });
  const names = await transport
    .get(headers, AbortSignal.timeout(listMs))
    .then(async (incoming) => modelIds(await readText(incoming)) ?? [])
    .catch((): string[] => []); // the error at hand is the one to tell
  transport.close();
  if (names.length === 0) return error;
  const near = nearestNames(place.model, names);
  const there = near.length > 0 ? `nearest there: ${near.join(', ')}` : `there: ${names.slice(0, shown).join(', ')}`;
  const next = near.length > 0 ? `Did you mean "${near[0]}"?` : 'Name one that is there.';
  return new HermesError(error.code, `${error.message} (${there})`, { kind: 'model', next, data: error.data });
}

/** Those that hold the name (`qwen3-8b` in Qwen/Qwen3-8B), then those that are nearly it. */
function nearestNames(name: string, names: readonly string[]): string[] {
  const found = new Set(names.filter((each) => each.toLowerCase().includes(name.toLowerCase())));
  const left = new Set(names).difference(found);
  for (let near = nearest(name, left); near !== undefined && found.size < shown; near = nearest(name, left)) {
    found.add(near);
    left.delete(near);
  }
  return [...found].slice(0, shown);
}
