/** A request as one model takes it: without what its habits refuse, and without what its refusals have taught. */

import type { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { EndpointOptions } from './endpoint.ts';
import type { Habits } from './profile.ts';
import type { AskOptions } from './types.ts';

/** The names of habits and error messages -> the options that they mean. A request can do without each of them. */
const dispensable = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  seed: 'seed',
  stop: 'stopSequences',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  tool_choice: 'toolChoice',
  reasoning_effort: 'reasoning',
} as const satisfies Record<string, keyof AskOptions>;
type Name = keyof typeof dispensable;
const names = Object.keys(dispensable) as Name[];

export class RequestHabits {
  private readonly habits: Habits;
  private readonly onLearn: EndpointOptions['onLearn'];
  private readonly refused: Set<string>;

  constructor({ habits, onLearn }: Pick<EndpointOptions, 'habits' | 'onLearn'>) {
    this.habits = habits;
    this.onLearn = onLearn;
    this.refused = new Set(habits.refuses);
  }

  /** A copy without what the model refuses. Thinking that the habits have fields for is left to `fields`. */
  prepare(options: AskOptions): AskOptions {
    const { habits } = this;
    const ready: AskOptions = { ...options };
    const refusedNow = this.thinks(options) ? new Set([...this.refused, ...(habits.refuses_thinking ?? [])]) : this.refused;
    for (const name of names) if (refusedNow.has(name)) delete ready[dispensable[name]];
    if (ready.temperature !== undefined) {
      const { min = 0, max = Number.POSITIVE_INFINITY } = habits.temperature ?? {};
      ready.temperature = Math.min(Math.max(ready.temperature, min), max);
    }
    const most = habits.max_output_tokens;
    if (most !== undefined && ready.maxOutputTokens !== undefined) ready.maxOutputTokens = Math.min(ready.maxOutputTokens, most);
    if (ready.responseFormat?.type === 'json' && !this.takesFormat(options)) delete ready.responseFormat;
    if (ready.toolChoice) ready.toolChoice = this.toolChoice(ready.toolChoice, this.thinks(options));
    if (this.thinkingFields(options)) delete ready.reasoning;
    return ready;
  }

  /** What asks for a format in other words (the prompt) does so knowing the same habits. */
  private takesFormat(options: AskOptions): boolean {
    const { format, with_tools, thinking } = this.habits.json ?? {};
    return format !== 'none' && (with_tools !== false || !options.tools?.length) && (thinking !== false || !this.thinks(options));
  }

  /** What the habits put into the body of this request. */
  fields(options: AskOptions): JsonObject {
    return { ...this.habits.body, ...this.thinkingFields(options) };
  }

  /** Whether a refusal names something that was sent and that the next request does without. */
  adapt(error: HermesError, sent: AskOptions): boolean {
    if (error.code !== 'bad_request') return false;
    const name = names.find((candidate) => sent[dispensable[candidate]] !== undefined && error.message.includes(candidate));
    if (!name) return false;
    this.refused.add(name);
    this.onLearn?.({ habits: { refuses: [...this.refused] } });
    return true;
  }

  /** Whether the model thinks about this request, as far as is known. */
  thinks({ reasoning }: AskOptions): boolean {
    const usual = this.habits.thinking?.default;
    if (reasoning === undefined || reasoning === 'provider-default') return usual === 'on' || usual === 'always';
    return reasoning === 'none' ? usual === 'always' : usual !== 'never';
  }

  private thinkingFields({ reasoning }: AskOptions): JsonObject | undefined {
    const { on, off, efforts, default: usual } = this.habits.thinking ?? {};
    if (reasoning === undefined || reasoning === 'provider-default') return undefined;
    if (reasoning === 'none') return usual === 'always' ? (on ?? efforts) && {} : off;
    return on || efforts ? { ...on, ...efforts?.[reasoning] } : undefined;
  }

  /** The nearest word that it takes: a named tool becomes "some tool", that becomes "as you like". */
  private toolChoice(choice: NonNullable<AskOptions['toolChoice']>, thinking: boolean): AskOptions['toolChoice'] {
    const habit = this.habits.tool_choice;
    const taken = (thinking && habit?.thinking) || habit?.values;
    if (!taken) return choice;
    const takes = (word: 'required' | 'named' | 'none') => taken.includes(word);
    if (choice.type === 'tool' && !takes('named')) return { type: takes('required') ? 'required' : 'auto' };
    return (choice.type === 'required' || choice.type === 'none') && !takes(choice.type) ? { type: 'auto' } : choice;
  }
}
