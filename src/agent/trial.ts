/** Finds out what a model can do by asking it: plain and streamed answers, a typed one, an image, and tool calls in every protocol. */

import { HermesError } from '../kernel/errors.ts';
import type { ErrorData, Json } from '../kernel/types.ts';
import type { ChatModel } from '../models/types.ts';
import { Agent } from './agent.ts';
import { RED_SQUARE, TRIAL_CASES, TRIAL_TOOLS, type TrialCase } from './trial-cases.ts';
import type { AgentOptions, ProtocolName, RunOutcome } from './types.ts';

/** How tool calls went in one protocol. */
export interface ProtocolTrial {
  protocol: ProtocolName;
  /** Calls with the right tool and arguments, and answers that tell the result. */
  right: number;
  answered: number;
  /** Requests that were made: one that gets none of the first three right is not asked further. */
  asked: number;
  seconds: number;
  tokens?: number;
  error?: ErrorData;
}
export interface Trial {
  model: string;
  answers: boolean;
  streams: boolean;
  schema: boolean;
  /** Absent: not tried. */
  images?: boolean;
  protocols: ProtocolTrial[];
  /** The one that worked best; absent: none did. */
  protocol?: ProtocolName;
}
export interface TrialOptions {
  /** Default: all that are for this kind of model. */
  protocols?: readonly ProtocolName[];
  settings?: AgentOptions;
  signal?: AbortSignal;
  onStep?(step: 'plain' | 'schema' | 'images' | ProtocolName): void;
}

/** In the order in which they are preferred among equals. */
const PROTOCOLS: readonly ProtocolName[] = ['native', 'json', 'react'];
const LOCAL_PROTOCOLS: readonly ProtocolName[] = ['guided', 'json', 'react'];
/** Of one reply: tiny models do not find an end by themselves. */
const LOCAL_TOKENS = 160;
/** So many wrong ones in the beginning are enough. */
const HOPELESS = 3;

/** Errors of the way to the model: they say nothing about what it can do, and must not be remembered as such. */
const CIRCUMSTANCES =
  /^(rate_limited|quota_exhausted|balance_exhausted|wrong_key|expired_key|connection_\w+|connect_timeout|host_not_found|network_error)$/;

/** Throws what a plain question throws, and later errors of the way to the model. The model stays open. */
export async function tryModel(model: ChatModel, options: TrialOptions = {}): Promise<Trial> {
  const isLocal = model.provider === 'local';
  const { protocols = isLocal ? LOCAL_PROTOCOLS : PROTOCOLS, onStep } = options;
  onStep?.('plain');
  const plain = await ask(model, options, 'Say hello in one short sentence.');
  if (plain.error) throw asThrown(plain.error);
  const streams = await isStreamed(model, options);
  onStep?.('schema');
  const schema = await givesTyped(model, options);
  const trial: Trial = { model: model.id, answers: plain.answer.trim() !== '', streams, schema, protocols: [] };
  if (!isLocal && model.abilities?.images !== false) {
    onStep?.('images');
    trial.images = await sees(model, options);
  }
  for (const protocol of protocols) {
    onStep?.(protocol);
    trial.protocols.push(await tryProtocol(model, protocol, options));
  }
  const best = bestOf(trial.protocols);
  return best ? { ...trial, protocol: best } : trial;
}

function asThrown({ code, message, next }: ErrorData): HermesError {
  return new HermesError(code, message, { kind: 'model', ...(next ? { next } : {}) });
}

/** Rightness counts, then answers, then the order of preference; at least half has to be right. */
function bestOf(trials: readonly ProtocolTrial[]): ProtocolName | undefined {
  const [best] = trials.filter(({ right }) => right * 2 >= TRIAL_CASES.length).sort((a, b) => b.right - a.right || b.answered - a.answered);
  return best?.protocol;
}

async function tryProtocol(model: ChatModel, protocol: ProtocolName, options: TrialOptions): Promise<ProtocolTrial> {
  const trial: ProtocolTrial = { protocol, right: 0, answered: 0, asked: 0, seconds: 0 };
  for (const one of TRIAL_CASES) {
    if (trial.asked === HOPELESS && trial.right === 0) break;
    const began = performance.now();
    const outcome = await ask(model, options, one.request, { protocol, tools: TRIAL_TOOLS });
    trial.seconds += (performance.now() - began) / 1000;
    trial.asked++;
    trial.right += Number(isRight(one, outcome));
    trial.answered += Number(isRight(one, outcome) && one.says.test(outcome.answer));
    const { inputTokens, outputTokens } = outcome.usage;
    if (inputTokens !== undefined) trial.tokens = (trial.tokens ?? 0) + inputTokens + (outputTokens ?? 0);
    if (outcome.error) trial.error ??= outcome.error;
  }
  return trial;
}

/** The first call counts: one that had to be put right by an error is not what the model can do by itself. */
function isRight({ tool, fits }: TrialCase, { toolCalls: [first] }: RunOutcome): boolean {
  return first?.success === true && first.name === tool && fits(first.arguments);
}

/** Of the model itself: a protocol may hold back what it has to read to the end. */
async function isStreamed(model: ChatModel, { signal }: TrialOptions): Promise<boolean> {
  let pieces = 0;
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: '请用一句话介绍杭州。' }] }];
  const room = model.provider === 'local' ? { maxOutputTokens: 24 } : {};
  try {
    await model.ask({ prompt, ...room, ...(signal ? { abortSignal: signal } : {}) }, () => pieces++);
  } catch {
    signal?.throwIfAborted();
    return false; // plain answers came, streamed ones do not
  }
  return pieces > 1;
}

async function givesTyped(model: ChatModel, options: TrialOptions): Promise<boolean> {
  const output = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  } as const;
  const outcome = await ask(model, options, 'Anna is 31 years old. Give her name and her age.', {}, { output });
  const { name, age } = (outcome.output ?? {}) as Record<string, Json>;
  return name === 'Anna' && age === 31;
}

async function sees(model: ChatModel, options: TrialOptions): Promise<boolean> {
  const outcome = await ask(model, options, 'Which colour has this square? One word.', {}, { files: [RED_SQUARE] });
  return outcome.status === 'success' && /red|红/i.test(outcome.answer);
}

/** Each request has an agent of its own, so that none knows of another. */
async function ask(
  model: ChatModel,
  { settings, signal }: TrialOptions,
  request: string,
  agentOptions: AgentOptions = {},
  runOptions: Parameters<Agent['run']>[1] = {},
): Promise<RunOutcome> {
  signal?.throwIfAborted();
  const { close: _stays, ...lent } = model;
  const limits = { maxSteps: 3, maxSeconds: 120 };
  const room = model.provider === 'local' ? { maxTokens: LOCAL_TOKENS } : {};
  const agent = new Agent({ ...settings, ...room, temperature: 0, limits, ...agentOptions, model: lent });
  try {
    const outcome = await agent.run(request, { ...runOptions, ...(signal ? { signal } : {}) });
    signal?.throwIfAborted();
    if (outcome.error && CIRCUMSTANCES.test(outcome.error.code)) throw asThrown(outcome.error);
    return outcome;
  } finally {
    await agent.close();
  }
}
