/** A model that answers with the replies of a recorded run, in order: for replay and evals. */

import { HermesError } from '../kernel/errors.ts';
import type { EventData, Reply, RunEvent } from '../kernel/types.ts';
import { chatModel } from './language-model.ts';
import { deliver, exhausted } from './scripted.ts';
import type { ChatModel } from './types.ts';

/**
 * Its id is that of the recorded model. A recorded failure is thrown again. Throws `recording_exhausted` when asked
 * more often than the model of that run was.
 */
export function recordedModel(events: readonly RunEvent[]): ChatModel {
  const recorded = events.flatMap((event) => (event.event_type === 'model.end' ? [event.data] : []));
  let asked = 0;
  return chatModel({
    id: recorded[0]?.model ?? 'recorded:model',
    async ask(options, onDelta) {
      options.abortSignal?.throwIfAborted();
      const end = recorded[asked++];
      if (!end) throw exhausted('recording_exhausted', `the recording holds ${recorded.length} replies`, asked);
      if (end.error) throw new HermesError(end.error.code, end.error.message, { kind: 'model', next: end.error.next });
      const reply = replyOf(end);
      await deliver(reply, options.abortSignal, onDelta);
      return reply;
    },
  });
}

/** Calls that were read out of a text (`raw` is kept then) are read out of it again. */
function replyOf(end: EventData['model.end']): Reply {
  const calls = end.raw === undefined ? end.calls : [];
  return {
    text: end.raw ?? end.text,
    ...(end.reasoning !== undefined && { reasoning: end.reasoning }),
    calls: calls.map((call) => ({ id: call.id, name: call.name, input: JSON.stringify(call.arguments) })),
    ...(end.usage && { usage: end.usage }),
    finish: end.finish,
    ...(end.finish_raw !== undefined && { finish_raw: end.finish_raw }),
    ...(end.extra && { extra: end.extra }),
  };
}
