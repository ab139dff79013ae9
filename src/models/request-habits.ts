/** A request as one model takes it: without what its habits refuse, and without what its refusals have taught. */

import type { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { EndpointOptions } from './endpoint.ts';
import { thinkingOf } from './openai-fields.ts';
import { mostTokens, named } from './openai-lessons.ts';
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
  reasoning: 'reasoning',
} as const satisfies Record<string, keyof AskOptions>;
type Name = keyof typeof dispensable;
const names = Object.keys(dispensable) as Name[];
/** How refusals speak of the wish to think, by the field that says it; `reasoning` is the option of the SDK. */
const thinkingWords: Record<string, RegExp> = {
  reasoning_effort: /\breasoning([._ ]effort)?\b/i,
  output_config: /\beffort\b|output_config/i,
  thinking: /\bthinking\b/i,
  think: /\bthink(ing)?\b/i,
  reasoning: /\b(reasoning|effort|output_config|thinking)\b/i,
};
/** Not about a message in which thinking is wrong. */
const aboutParameter = /support|unknown|unrecognized|unexpected|deprecated|not (allowed|permitted|available)|extra inputs/i;

export class RequestHabits {
  private readonly habits: Habits;
  private readonly onLearn: EndpointOptions['onLearn'];
  private readonly refused: Set<string>;
  private mostTokens: number | undefined;

  constructor({ habits, onLearn }: Pick<EndpointOptions, 'habits' | 'onLearn'>) {
    this.habits = habits;
    this.onLearn = onLearn;
    this.refused = new Set(habits.refuses);
    this.mostTokens = habits.max_output_tokens;
  }

  /** A copy without what the model refuses. Thinking that the habits have fields for is left to `fields`. */
  prepare(options: AskOptions): AskOptions {
    const { habits } = this;
    const ready: AskOptions = { ...options };
    const thinks = this.thinks(options);
    const refusedNow = thinks ? new Set([...this.refused, ...(habits.refuses_thinking ?? [])]) : this.refused;
    for (const name of names) if (refusedNow.has(name)) delete ready[dispensable[name]];
    if (habits.thinking) delete ready.reasoning;
    if (ready.temperature !== undefined) {
      const { min = 0, max = Number.POSITIVE_INFINITY } = habits.temperature ?? {};
      ready.temperature = Math.min(Math.max(ready.temperature, min), max);
    }
    if (ready.maxOutputTokens !== undefined)
      ready.maxOutputTokens = Math.min(ready.maxOutputTokens, this.mostTokens ?? ready.maxOutputTokens);
    if (ready.responseFormat?.type === 'json' && !this.takesFormat(options)) delete ready.responseFormat;
    if (ready.toolChoice) ready.toolChoice = this.toolChoice(ready.toolChoice, thinks);
    return ready;
  }

  /** What the habits put into the body of this request. */
  fields(options: AskOptions): JsonObject {
    const { body, thinking } = this.habits;
    const fields = { ...body, ...(thinking && thinkingOf(this.habits, options.reasoning).fields) };
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !this.refused.has(name)));
  }

  refuses(name: string): boolean {
    return this.refused.has(name);
  }

  /** Whether the model thinks about this request, as far as is known. */
  thinks({ reasoning }: AskOptions): boolean {
    return thinkingOf(this.habits, reasoning).thinks;
  }

  /** Whether a refusal names something that was sent and that the next request does without. `asked`: before `prepare`. */
  adapt(error: HermesError, sent: AskOptions, asked: AskOptions): boolean {
    if (error.code !== 'bad_request') return false;
    const { message } = error;
    const most = sent.maxOutputTokens !== undefined && /max_(output_)?tokens|num_predict/.test(message);
    const tokens = most ? mostTokens(message, sent.maxOutputTokens as number) : undefined;
    if (tokens !== undefined && tokens < (this.mostTokens ?? Number.POSITIVE_INFINITY)) {
      this.mostTokens = tokens;
      this.onLearn?.({ habits: { max_output_tokens: tokens } });
      return true;
    }
    const name = this.nameIn(message, sent, asked);
    if (name === undefined || this.refused.has(name)) return false;
    this.refused.add(name);
    this.onLearn?.({ habits: { refuses: [...this.refused] } });
    return true;
  }

  private nameIn(message: string, sent: AskOptions, asked: AskOptions): string | undefined {
    const isNamed = (name: string) => {
      const words = thinkingWords[name];
      return words ? aboutParameter.test(message) && words.test(message) : named(name, message);
    };
    return Object.keys(this.fields(asked)).find(isNamed) ?? names.find((name) => sent[dispensable[name]] !== undefined && isNamed(name));
  }

  /** What asks for a format in other words (the prompt) does so knowing the same habits. */
  private takesFormat(options: AskOptions): boolean {
    const { format, with_tools, thinking } = this.habits.json ?? {};
    return format !== 'none' && (with_tools !== false || !options.tools?.length) && (thinking !== false || !this.thinks(options));
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
