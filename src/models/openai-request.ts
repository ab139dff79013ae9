/** The body of a chat-completions request, and what an endpoint has refused in it. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { Transcripts } from './transcripts.ts';

export interface CompletionRequest {
  /** Pieces of the body, in order. */
  body: Buffer[];
  /** Everything in it but tools and messages. */
  parameters: Record<string, unknown>;
}

/** Parameters that a request can do without: left out for good after the first refusal that names one. */
const dispensable = ['temperature', 'top_p', 'response_format', 'stream_options'];
const end = Buffer.from(']}');

/** Builds the requests to one model, and learns from its refusals. */
export class RequestBuilder {
  private readonly model: string;
  private readonly transcripts = new Transcripts();
  private readonly toolTexts = new WeakMap<object, string>();
  private readonly refused = new Set<string>();
  private tokenField = 'max_tokens';

  constructor(model: string) {
    this.model = model;
  }

  build(options: LanguageModelV4CallOptions, stream: boolean): CompletionRequest {
    const parameters = this.parameters(options, stream);
    const tools = options.tools?.length ? `,"tools":${this.toolText(options.tools)}` : '';
    const head = Buffer.from(`${JSON.stringify(parameters).slice(0, -1)}${tools},"messages":[`);
    return { body: [head, this.transcripts.serialise(options.prompt), end], parameters };
  }

  /** Whether a refusal names something that the next request will do without, so that asking again makes sense. */
  adapt(request: CompletionRequest, refusal: string): boolean {
    const sent = (name: string) => request.parameters[name] !== undefined;
    if (sent('max_tokens') && refusal.includes('max_completion_tokens')) {
      this.tokenField = 'max_completion_tokens';
      return true;
    }
    const name = dispensable.find((candidate) => sent(candidate) && refusal.includes(candidate));
    if (name) this.refused.add(name);
    return name !== undefined;
  }

  private parameters(options: LanguageModelV4CallOptions, stream: boolean): Record<string, unknown> {
    const all: Record<string, unknown> = { model: this.model };
    const put = (name: string, value: unknown) => {
      if (value !== undefined && !this.refused.has(name)) all[name] = value;
    };
    if (stream) {
      put('stream', true);
      put('stream_options', { include_usage: true });
    }
    put('temperature', options.temperature);
    put('top_p', options.topP);
    put(this.tokenField, options.maxOutputTokens);
    put('seed', options.seed);
    put('stop', options.stopSequences?.length ? options.stopSequences : undefined);
    put('presence_penalty', options.presencePenalty);
    put('frequency_penalty', options.frequencyPenalty);
    put('reasoning_effort', options.reasoning === 'provider-default' ? undefined : options.reasoning);
    if (options.responseFormat?.type === 'json') put('response_format', jsonFormat(options.responseFormat));
    if (options.tools?.length) put('tool_choice', toolChoice(options.toolChoice));
    return all;
  }

  private toolText(tools: NonNullable<LanguageModelV4CallOptions['tools']>): string {
    let text = this.toolTexts.get(tools);
    if (text === undefined) {
      text = renderTools(tools);
      this.toolTexts.set(tools, text);
    }
    return text;
  }
}

function jsonFormat(format: { schema?: unknown; name?: string; description?: string }): unknown {
  const { schema, name = 'answer', description } = format;
  return schema ? { type: 'json_schema', json_schema: { name, description, schema } } : { type: 'json_object' };
}

/** `auto` is every endpoint's default, and not every endpoint knows the word. */
function toolChoice(choice: LanguageModelV4CallOptions['toolChoice']): unknown {
  if (!choice || choice.type === 'auto') return undefined;
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.toolName } } : choice.type;
}

/** Function tools only: what a provider itself runs has no place in this API. */
function renderTools(tools: NonNullable<LanguageModelV4CallOptions['tools']>): string {
  const rendered = [];
  for (const tool of tools) {
    if (tool.type !== 'function') continue;
    const { name, description, inputSchema, strict } = tool;
    rendered.push({ type: 'function', function: { name, description, parameters: inputSchema, strict } });
  }
  return JSON.stringify(rendered);
}
