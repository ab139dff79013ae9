/**
 * A model inside this process: a .gguf file run by node-llama-cpp. It writes text only; tool calls are what a
 * protocol reads out of that text. Nothing is printed: the runtime's log is kept silent.
 */

import { statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import type { LlamaContextSequence, LlamaGrammarEvaluationState, LlamaModel, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import { errorData, HermesError } from '../kernel/errors.ts';
import type { Reply } from '../kernel/types.ts';
import { modelsDirectory } from './catalogue.ts';
import { chatModel } from './language-model.ts';
import { createGrammars, type Grammars, isWhole } from './local-grammar.ts';
import { createStates, type States } from './local-states.ts';
import { createTemplate, type PromptTemplate } from './local-template.ts';
import { createWriter } from './local-writer.ts';
import type { Abilities } from './profile.ts';
import { loadRuntime, RUNTIME_VERSION } from './runtime.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

export interface LocalModelOptions {
  /** The name behind `local:`. */
  name: string;
  /** Path of the .gguf file. */
  file: string;
  /** The models directory, where an installed runtime lives. Default: modelsDirectory(). */
  directory?: string;
  /** Tokens of prompt and answer together; memory for them is taken at loading. Default 4096, at most what the model was trained for. */
  contextTokens?: number;
  /** What was measured (`hermes models test`); it wins over what its size suggests. */
  abilities?: Abilities;
}

const DEFAULT_CONTEXT_TOKENS = 4096;
/** About 0.3 billion parameters at four bits. */
const TINY_BYTES = 350e6;
/** Prompt tokens evaluated between two looks at the abort signal: under a second of work for a small model. */
const PREFILL_CHUNK = 256;
/** Tiny models repeat themselves on long answers; short replies (calls, values to be copied) are left alone. */
const REPEAT_PENALTY = { from: 48, window: 48, penalty: 1.1 };

interface Engine {
  model: LlamaModel;
  sequence: LlamaContextSequence;
  template: PromptTemplate;
  states: States;
  grammars: Grammars;
  dispose(): Promise<void>;
}

/**
 * The file is loaded at the first request, once. Requests are answered one after another; a request that begins
 * like the one before it is evaluated from where they differ. Temperature is 0 unless the request says otherwise.
 * A prompt that ends with an assistant message is continued. A JSON response format is held by a grammar. Tools and files
 * are not for this model.
 */
export function createLocalModel(options: LocalModelOptions): ChatModel {
  const contextTokens = options.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  let loading: Promise<Engine> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return chatModel({
    endsOnAbort: true,
    id: `local:${options.name}`,
    contextWindow: contextTokens,
    abilities: { ...abilitiesBySize(options.file), ...options.abilities },
    ask: (request, onDelta) =>
      inTurn(async () => {
        request.abortSignal?.throwIfAborted();
        loading ??= load(options, contextTokens).catch((error: unknown) => {
          loading = undefined; // the next request may find the file mended
          throw error;
        });
        return generate(await loading, request, onDelta);
      }),
    close: () =>
      inTurn(async () => {
        await (await loading)?.dispose();
        loading = undefined;
      }),
  });
}

/** Rails for tiny models; larger ones write the json protocol's object, which the grammar keeps whole. */
function abilitiesBySize(file: string): Abilities {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const protocol = bytes > TINY_BYTES ? 'json' : 'guided';
  return { tools: false, images: false, json_schema: { with_tools: true, grammar: true }, protocol };
}

async function load(options: LocalModelOptions, contextTokens: number): Promise<Engine> {
  const runtime = await loadRuntime(options.directory ?? modelsDirectory());
  await checkHeader(options.file);
  const threads = freeCores();
  const started = () => runtime.getLlama({ gpu: false, build: 'never', progressLogs: false, logger: () => {}, maxThreads: threads });
  const llama = await withoutLog(started);
  try {
    const model = await llama.loadModel({ modelPath: options.file });
    const contextSize = Math.min(contextTokens, model.trainContextSize);
    const context = await model.createContext({ contextSize, sequences: 1, threads, swaFullCache: true });
    const { size, mtimeMs } = await stat(options.file);
    const identity = JSON.stringify([options.file, size, mtimeMs, RUNTIME_VERSION, contextSize]);
    return {
      model,
      sequence: context.getSequence(),
      template: createTemplate(runtime, model),
      grammars: createGrammars(runtime, llama, model),
      states: createStates(options.directory ?? modelsDirectory(), options.name, identity),
      dispose: () => llama.dispose(),
    };
  } catch (error) {
    await llama.dispose();
    throw unloadable(options.file, errorData(error).message);
  }
}

/** Whatever its settings, the runtime logs when its trial process is ended, as Ctrl-C does; the error that follows says enough. */
async function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  const { error } = console;
  console.error = (...said: unknown[]) => {
    if (!String(said[0]).includes('node-llama-cpp')) error(...said);
  };
  try {
    return await work();
  } finally {
    console.error = error;
  }
}

/** The runtime waits for ever on some files that only begin like a model. */
async function checkHeader(file: string): Promise<void> {
  const handle = await open(file).catch((error: Error) => {
    throw unloadable(file, error.message);
  });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(24), 0, 24, 0);
    const version = buffer.readUInt32LE(4);
    const counts = [buffer.readBigUInt64LE(8), buffer.readBigUInt64LE(16)];
    const isModel = bytesRead === 24 && buffer.toString('latin1', 0, 4) === 'GGUF' && (version === 2 || version === 3);
    if (!isModel || counts.some((count) => count > 1_000_000n)) throw unloadable(file, 'it is not a .gguf model');
  } finally {
    await handle.close();
  }
}

function unloadable(file: string, reason: string): HermesError {
  return new HermesError('model_load_failed', `${file} cannot be loaded: ${reason}`, {
    kind: 'model',
    next: 'check that it is a whole .gguf file and that there is memory for it; hermes models rm and pull bring a fresh copy',
  });
}

/**
 * Threads of one evaluation wait for each other in a busy loop: one more than there are free cores makes it
 * slower, not faster (two cores under load, SmolLM2: 63 tokens a second with one thread, 5 with two).
 */
function freeCores(): number {
  const cores = availableParallelism();
  return Math.max(1, Math.min(cores - 1, Math.floor(cores - (loadavg()[0] ?? 0))));
}

async function generate(engine: Engine, request: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
  const { sequence } = engine;
  const signal = request.abortSignal;
  const tokens = engine.template.tokens(request.prompt);
  const room = sequence.contextSize - tokens.length;
  if (room < 1) throw overflow(tokens.length, sequence.contextSize);
  const cached = await prefill(engine, tokens, frontOf(engine, request, tokens), signal);
  const grammar = await engine.grammars.for(request.responseFormat);
  const produced: Token[] = [];
  const writer = createWriter(engine.model, request.stopSequences ?? [], onDelta);
  const limit = Math.min(request.maxOutputTokens ?? room, room);
  let finish: Reply['finish'] = 'stop';
  for await (const token of sequence.evaluate(tokens.slice(-1), sampling(request, produced, grammar))) {
    signal?.throwIfAborted();
    produced.push(token);
    if (writer.write(token) || (grammar && isWhole(writer.text()))) break;
    if (produced.length >= limit) {
      finish = 'length';
      break;
    }
  }
  const usage = { input_tokens: tokens.length, output_tokens: produced.length, cached_tokens: cached };
  return { text: writer.end(), calls: [], usage, finish };
}

/** How many tokens come before the last message: what the next request, also of the next process, is likely to begin with. */
function frontOf({ template }: Engine, { prompt }: AskOptions, tokens: readonly Token[]): number {
  if (prompt.length < 3) return 0;
  const front = template.tokens(prompt.slice(0, -1));
  const end = front.findIndex((token, index) => token !== tokens[index]);
  return Math.min(end < 0 ? front.length : end, tokens.length - 1);
}

/** Evaluates all but the last token, as far as the sequence or a kept state does not hold them already; gives how many were held. */
async function prefill({ sequence, states }: Engine, tokens: Token[], front: number, signal?: AbortSignal): Promise<number> {
  const prefix = tokens.slice(0, -1);
  await sequence.adaptStateToTokens(prefix, false);
  let cached = sequence.nextTokenIndex;
  if (cached < front) {
    const kept = tokens.slice(0, front);
    if (await states.restore(sequence, kept)) cached = front;
    else {
      await sequence.adaptStateToTokens(prefix, false);
      await evaluate(sequence, kept, signal);
      await states.save(sequence, kept);
    }
  }
  await evaluate(sequence, prefix, signal);
  return cached;
}

async function evaluate(sequence: LlamaContextSequence, tokens: Token[], signal?: AbortSignal): Promise<void> {
  while (sequence.nextTokenIndex < tokens.length) {
    signal?.throwIfAborted();
    const start = sequence.nextTokenIndex;
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(start, start + PREFILL_CHUNK));
  }
  signal?.throwIfAborted();
}

function sampling(
  request: AskOptions,
  produced: readonly Token[],
  grammarEvaluationState: LlamaGrammarEvaluationState | undefined,
): SequenceEvaluateOptions {
  return {
    ...(grammarEvaluationState && { grammarEvaluationState }),
    temperature: request.temperature ?? 0,
    ...(request.topK === undefined ? {} : { topK: request.topK }),
    ...(request.topP === undefined ? {} : { topP: request.topP }),
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    repeatPenalty: {
      punishTokens: () => (produced.length < REPEAT_PENALTY.from ? [] : produced.slice(-REPEAT_PENALTY.window)),
      maxPunishTokens: REPEAT_PENALTY.window,
      penalty: REPEAT_PENALTY.penalty,
      ...(request.frequencyPenalty === undefined ? {} : { frequencyPenalty: request.frequencyPenalty }),
      ...(request.presencePenalty === undefined ? {} : { presencePenalty: request.presencePenalty }),
    },
  };
}

function overflow(tokens: number, contextSize: number): HermesError {
  return new HermesError('context_overflow', `the prompt has ${tokens} tokens, the model's window holds ${contextSize}`, {
    kind: 'model',
    next: 'shorten the request, or choose a model with a larger window',
  });
}
