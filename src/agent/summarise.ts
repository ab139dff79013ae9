/** A long result in a model's words, for tools that ask for it: one light model call, told as a performer's. */

import { unlessAborted } from '../kernel/abort.ts';
import { errorData } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { Cost, JsonObject, State, Usage } from '../kernel/types.ts';
import { withRetry } from '../models/retry.ts';
import type { ChatModel } from '../models/types.ts';
import type { Templates } from '../protocols/templates.ts';
import type { Summarise } from '../tools/running.ts';
import { defined } from './defined.ts';

const SUMMARISE = 'summarise_result';
/** Characters of a result that the model is given, and of what it says. */
const READ = 30_000;
const SAID = 1_500;

export interface SummariseParts {
  /** The model that the state names. */
  model(state: State): Promise<ChatModel>;
  cost(model: ChatModel, usage: Usage | undefined): Cost | undefined;
  templates: Templates;
}

export function createSummarise({ model: open, cost, templates }: SummariseParts): Summarise {
  return async (text, { tool, state, performing }) => {
    const { signal } = performing;
    const began = performance.now();
    const ms = () => Math.round(performance.now() - began);
    await performing.emit({ event_type: 'perform.start', data: { name: SUMMARISE, input: { tool, characters: text.length } } });
    try {
      const model = await open(state);
      const request = state.messages.findLast((message) => message.role === 'user')?.content ?? '';
      const content = templates.fill('summarise-result', state.language, { tool, request: cut(request, 2_000), result: cut(text, READ) });
      const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: content }] }];
      const reply = await withRetry(() => unlessAborted(model.ask({ prompt, abortSignal: signal }), signal), { signal, tries: 2 });
      const summary = cut(reply.text.trim(), SAID);
      const paid = defined({ usage: reply.usage, cost: reply.cost ?? cost(model, reply.usage) });
      await performing.emit({ event_type: 'perform.end', data: { name: SUMMARISE, result: { summary }, ms: ms(), ...paid } });
      return summary === '' ? undefined : summary;
    } catch (thrown) {
      const result = { error: errorData(thrown) as JsonObject };
      await performing.emit({ event_type: 'perform.end', data: { name: SUMMARISE, result, ms: ms() } });
      return undefined; // it is shown by its shape then
    }
  };
}
