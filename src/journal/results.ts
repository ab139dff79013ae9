/** The whole result of a call, read back from where it is kept. */

import { referencesOf, unseal } from './events.ts';
import type { EventStore } from './store.ts';

/** Text, or JSON of what is no text. null = it was forgotten, undefined = the run has no result of this name. */
export async function storedResult(store: EventStore, run_id: string, handle: string): Promise<string | null | undefined> {
  await store.flush();
  const line = (await store.lines(run_id)).findLast((one) => one.includes(`"handle":"${handle}"`) && isEndWith(one, handle));
  if (line === undefined) return undefined;
  const { result } = JSON.parse(line).data;
  if (typeof result.data === 'object' && typeof result.data?.$content === 'string') return store.contents.get(result.data.$content);
  const texts = new Map<string, string>();
  for (const { $content } of referencesOf(line)) {
    const text = await store.contents.get($content);
    if (typeof text !== 'string') return text;
    texts.set($content, text);
  }
  const event = unseal(line, ({ $content }) => texts.get($content) ?? '');
  const data = event.event_type === 'tool.end' && event.data.result.success ? event.data.result.data : undefined;
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function isEndWith(line: string, handle: string): boolean {
  const event = JSON.parse(line);
  return event.event_type === 'tool.end' && event.data.handle === handle;
}
