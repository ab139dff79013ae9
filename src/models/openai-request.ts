/** The body of a chat-completions request, written as the endpoint's habits want it, and what is learnt from its refusals. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { choiceOf, formatOf, thinkingOf } from './openai-fields.ts';
import { lessonOf } from './openai-lessons.ts';
import { extraKey, messageWriter, type WriteMessage } from './openai-messages.ts';
import type { Habits } from './profile.ts';
import { Transcripts } from './transcripts.ts';

export interface CompletionRequest {
  /** Pieces of the body, in order. */
  body: Buffer[];
  /** Everything in it but tools and messages. */
  parameters: Record<string, unknown>;
  tools: boolean;
}

const end = Buffer.from(']}');
/** Said where an endpoint takes no schema and the prompt does not speak of JSON: vendors refuse json_object without that word. */
const schemaWords = 'Answer with one JSON value and nothing else. It has to fit this JSON Schema:\n';

/** Builds the requests to one model. */
export class RequestBuilder {
  private readonly model: string;
  private habits!: Habits;
  private write!: WriteMessage;
  private transcripts!: Transcripts;
  private toolTexts!: WeakMap<object, string>;
  private refused!: Set<string>;
  private refusedThinking!: Set<string>;

  constructor(model: string, habits: Habits) {
    this.model = model;
    this.follow(habits);
  }

  build(options: LanguageModelV4CallOptions, stream: boolean): CompletionRequest {
    const thinking = thinkingOf(this.habits, options.reasoning);
    const choice = options.tools?.length ? choiceOf(this.habits, options.toolChoice, thinking.thinks) : {};
    const tools = options.tools?.length && !choice.withoutTools ? options.tools : undefined;
    const parameters = this.parameters(options, stream, thinking, tools !== undefined);
    if (tools && choice.value !== undefined && !this.refused.has('tool_choice')) parameters.tool_choice = choice.value;
    const parallel = options.providerOptions?.[extraKey]?.parallel_tool_calls; // no option of the interface says it
    if (tools && typeof parallel === 'boolean' && this.habits.parallel_tool_calls !== false && !this.refused.has('parallel_tool_calls'))
      parameters.parallel_tool_calls = parallel;
    const toolText = tools ? `,"tools":${this.toolText(tools)}` : '';
    const head = Buffer.from(`${JSON.stringify(parameters).slice(0, -1)}${toolText},"messages":[`);
    const words = instruction(options, parameters);
    const messages = this.messages(options.prompt);
    return { body: [head, ...messages, ...(words ? [Buffer.from(words)] : []), end], parameters, tools: tools !== undefined };
  }

  /** The habits that a refusal teaches, for this and the next requests; undefined = none, so that asking again makes no sense. */
  adapt(request: CompletionRequest, refusal: string): Habits | undefined {
    const lesson = lessonOf(refusal, request, this.habits);
    if (lesson) this.follow({ ...this.habits, ...lesson });
    return lesson;
  }

  /** What was serialised under other habits is written anew. */
  private follow(habits: Habits): void {
    this.habits = habits;
    this.write = messageWriter(habits, this.model);
    this.transcripts = new Transcripts(this.write);
    this.toolTexts = new WeakMap();
    this.refused = new Set(habits.refuses);
    this.refusedThinking = new Set(habits.refuses_thinking);
  }

  private parameters(
    options: LanguageModelV4CallOptions,
    stream: boolean,
    { fields, thinks }: ReturnType<typeof thinkingOf>,
    tools: boolean,
  ): Record<string, unknown> {
    const { habits, refused, refusedThinking } = this;
    const all: Record<string, unknown> = { model: this.model };
    const put = (name: string, value: unknown) => {
      if (value !== undefined && !refused.has(name) && !(thinks && refusedThinking.has(name))) all[name] = value;
    };
    if (stream) {
      put('stream', true);
      put('stream_options', { include_usage: true });
    }
    put('temperature', within(options.temperature, habits.temperature));
    put('top_p', options.topP);
    put(habits.token_field ?? 'max_tokens', within(options.maxOutputTokens, { max: habits.max_output_tokens }));
    put('seed', options.seed);
    put('stop', options.stopSequences?.length ? options.stopSequences : undefined);
    put('presence_penalty', options.presencePenalty);
    put('frequency_penalty', options.frequencyPenalty);
    if (fields) for (const name in fields) put(name, fields[name]);
    if (habits.body) for (const name in habits.body) put(name, habits.body[name]);
    if (options.responseFormat?.type === 'json')
      put('response_format', formatOf(habits, options.responseFormat, { thinks, tools, stream }));
    return all;
  }

  /** With markers the last message is written on its own: its marker moves on, and the bytes before stay as they are. */
  private messages(prompt: LanguageModelV4CallOptions['prompt']): Buffer[] {
    if (this.habits.cache !== 'markers' || prompt.length === 0) return [this.transcripts.serialise(prompt)];
    const last = prompt.length - 1;
    const before = this.transcripts.serialise(prompt.slice(0, last));
    const marked = this.write(prompt[last]!, prompt[last - 1], true);
    return [before, Buffer.from(before.length > 0 && marked !== '' ? `,${marked}` : marked)];
  }

  private toolText(tools: NonNullable<LanguageModelV4CallOptions['tools']>): string {
    let text = this.toolTexts.get(tools);
    if (text === undefined) {
      text = renderTools(tools, this.habits);
      this.toolTexts.set(tools, text);
    }
    return text;
  }
}

function within(value: number | undefined, range: { min?: number | undefined; max?: number | undefined } = {}): number | undefined {
  return value === undefined ? undefined : Math.min(Math.max(value, range.min ?? -Infinity), range.max ?? Infinity);
}

/** Function tools only: what a provider itself runs has no place in this API. */
function renderTools(tools: NonNullable<LanguageModelV4CallOptions['tools']>, habits: Habits): string {
  const rendered: object[] = [];
  for (const tool of tools) {
    if (tool.type !== 'function') continue;
    const { name, description, inputSchema } = tool;
    const strict = habits.strict === false ? undefined : tool.strict;
    rendered.push({ type: 'function', function: { name, description, parameters: inputSchema, strict } });
  }
  if (habits.cache === 'markers' && rendered.length > 0) Object.assign(rendered.at(-1)!, { cache_control: { type: 'ephemeral' } });
  return JSON.stringify(rendered);
}

/** The schema in words, as a last message. */
function instruction({ responseFormat, prompt }: LanguageModelV4CallOptions, parameters: Record<string, unknown>): string | undefined {
  if (responseFormat?.type !== 'json' || !responseFormat.schema) return undefined;
  if ((parameters.response_format as { type?: string } | undefined)?.type !== 'json_object') return undefined;
  if (prompt.some(({ role, content }) => role === 'system' && /json/i.test(content as string))) return undefined;
  const content = schemaWords + JSON.stringify(responseFormat.schema);
  return `${prompt.length > 0 ? ',' : ''}${JSON.stringify({ role: 'user', content })}`;
}
