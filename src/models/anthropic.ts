/**
 * Anthropic's Messages API through @ai-sdk/anthropic: at Anthropic, and at the compatible addresses of others. Adds what
 * the SDK leaves to its caller: cache markers, and our own transport.
 */

import type { LanguageModelV4FunctionTool, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { JsonObject, Usage } from '../kernel/types.ts';
import { asChatModel, ownUsage } from './ask.ts';
import { RequestHabits } from './request-habits.ts';
import { endpointURL, type NativeOptions, onOwnTransport, placeOf, withNames } from './sdk-setup.ts';
import type { AskOptions, ChatModel } from './types.ts';

/** What a model is given to write when nobody says how much: the API wants a figure, and the SDK knows it only for Claude. */
const outputTokensOfOthers = 16_384;

export async function createAnthropic(options: NativeOptions): Promise<ChatModel> {
  const { id, model: name, apiKey = 'none', apiKeySource, habits, headers, contextWindow, abilities } = options;
  const url = endpointURL(options.baseURL, 'messages');
  // Some give its address without the version, which Anthropic's own clients add.
  if (!/\/v\d+[a-z]*$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1`;
  const place = placeOf(options, url);
  const { createAnthropic: createProvider } = await import('@ai-sdk/anthropic');
  // Always said: the SDK would take a key of Anthropic's from the environment to whatever address this is.
  const isToken = apiKeySource?.endsWith('AUTH_TOKEN') ?? false;
  const key = isToken ? { authToken: apiKey } : { apiKey };
  const authorization: Record<string, string> = isToken ? { authorization: `Bearer ${apiKey}` } : { 'x-api-key': apiKey };
  const { modelWith, close } = onOwnTransport(options, place, (fetch) =>
    createProvider({ baseURL: url.href, ...key, ...(headers && { headers }), fetch })(name),
  );
  const requests = new RequestHabits(options);
  const withMarkers = habits.cache === 'none' || habits.cache === 'automatic' ? undefined : cacheMarkers();
  const claude = name.includes('claude');
  const acceptable = acceptableMessages(claude);
  const mostTokens = claude ? undefined : (habits.max_output_tokens ?? outputTokensOfOthers);

  return asChatModel(modelWith({}), {
    id,
    place,
    endsOnAbort: true,
    contextWindow,
    abilities,
    prepare(asked) {
      const bounded = requests.prepare({ ...asked, maxOutputTokens: asked.maxOutputTokens ?? mostTokens });
      const accepted = { ...bounded, prompt: asked.prompt.map(acceptable) };
      const ready = withMarkers?.(accepted) ?? accepted;
      const { fields, thinking } = claude ? thinkingOfClaude(requests.fields(asked)) : { fields: requests.fields(asked) };
      // Arguments that are streamed eagerly come unchecked, and the field for it is not known everywhere.
      const anthropic = { ...ready.providerOptions?.anthropic, toolStreaming: false, ...thinking };
      ready.providerOptions = { ...ready.providerOptions, anthropic };
      return { options: ready, model: modelWith(fields) };
    },
    adapt: (error, sent, before) => requests.adapt(error, sent, before),
    explain: (error) => withNames(error, options, place, url, { ...authorization, 'anthropic-version': '2023-06-01' }),
    usage: givenUsage,
    close,
  });
}

// ---- caching --------------------------------------------------------------------------------------------------

type Message = AskOptions['prompt'][number];
type Markable = Message | LanguageModelV4FunctionTool;

/**
 * Marks the end of the tools, of the system prompt and of the conversation, and where the previous request ended: an
 * entry of the cache is looked for only some 20 blocks back from a marker. Four is the most that a request may have.
 * The marks stand on copies; the text in front of them stays the same from step to step.
 */
function cacheMarkers(): (options: AskOptions) => AskOptions {
  const copies = new WeakMap<object, object>();
  const mark = <T extends Markable>(item: T): T => {
    let copy = copies.get(item);
    if (!copy) {
      const { anthropic } = item.providerOptions ?? {};
      const marked = { ...anthropic, cacheControl: { type: 'ephemeral' } };
      copy = { ...item, providerOptions: { ...item.providerOptions, anthropic: marked } };
      copies.set(item, copy);
    }
    return copy as T;
  };
  return (options) => {
    const prompt = [...options.prompt];
    const tools = options.tools?.length ? [...options.tools] : undefined;
    const lastAnswer = prompt.findLastIndex((message) => message.role === 'assistant');
    for (const index of new Set([prompt.findLastIndex((message) => message.role === 'system'), lastAnswer - 1, prompt.length - 1])) {
      const message = prompt[index];
      if (message) prompt[index] = mark(message);
    }
    const lastTool = tools?.at(-1);
    if (tools && lastTool?.type === 'function') tools[tools.length - 1] = mark(lastTool);
    return { ...options, prompt, ...(tools && { tools }) };
  };
}

// ---- what the API takes and gives -----------------------------------------------------------------------------

type Part = Exclude<Message['content'], string>[number];

/** Messages as the API accepts them, made once for each: it refuses empty texts, and some signs in ids that another provider gave. */
function acceptableMessages(claude: boolean): (message: Message) => Message {
  const known = new WeakMap<Message, Message>();
  const acceptablePart = <P extends Part>(part: P): P => {
    if (part.type === 'tool-call' || part.type === 'tool-result') return { ...part, toolCallId: part.toolCallId.replace(/[^\w-]/g, '_') };
    // Others give thinking without a signature, and want it back; of Claude's, none is without.
    const unsigned = part.type === 'reasoning' && !part.providerOptions && !claude;
    return unsigned ? { ...part, providerOptions: { anthropic: { signature: '' } } } : part;
  };
  return (message) => {
    if (message.role === 'system') return message;
    let ready = known.get(message);
    if (!ready) {
      ready = { ...message, content: (message.content as Part[]).filter(hasWords).map(acceptablePart) } as Message;
      known.set(message, ready);
    }
    return ready;
  };
}

function hasWords(part: Part, _index: number, all: Part[]): boolean {
  return part.type !== 'text' || part.text.trim() !== '' || all.length === 1;
}

/** Thinking as options of the SDK, which knows what else has to change with it for each Claude (the limit, sampling, tool_choice). */
function thinkingOfClaude({ thinking, output_config, ...fields }: JsonObject): { fields: JsonObject; thinking: JsonObject } {
  const { type, budget_tokens } = (thinking ?? {}) as JsonObject;
  const { effort } = (output_config ?? {}) as JsonObject;
  const own: JsonObject = {};
  // Where the effort decides, the newer ones keep their thinking to themselves unless they are asked to show it.
  if (type === 'adaptive') own.thinking = { type, display: 'summarized' };
  else if (type !== undefined) own.thinking = { type, ...(budget_tokens !== undefined && { budgetTokens: budget_tokens }) };
  if (effort !== undefined) own.effort = effort;
  return { fields, thinking: own };
}

/** The SDK says 0 where the endpoint said nothing. */
function givenUsage(usage: LanguageModelV4Usage): Usage | undefined {
  const { raw } = usage;
  if (!raw) return undefined;
  const all = ownUsage(usage);
  if (raw.cache_read_input_tokens == null) delete all.cached_tokens;
  if (raw.cache_creation_input_tokens == null) delete all.cache_write_tokens;
  return all;
}
