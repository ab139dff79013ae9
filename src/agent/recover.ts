/**
 * What can be done when a model fails in a way that asking it again will not mend: the same request in another protocol, without
 * images, with more room for the answer, or to the next model of the fallback list. Each way is told, and taken once a step.
 */

import { forModel } from '../kernel/changes.ts';
import { errorData, HermesError } from '../kernel/errors.ts';
import type { Fact, State } from '../kernel/types.ts';
import type { ChatModel } from '../models/types.ts';
import type { Reading } from '../protocols/types.ts';
import { unseenText } from './images.ts';
import type { ModelOption } from './types.ts';

/** How the model is asked this time; `failed` changes it for the next. */
export interface Attempt {
  state: State;
  maxTokens?: number;
  /** Images are replaced by words. */
  blind?: boolean;
  /** Models that have failed in this step, and how far down the fallback list it has come. */
  failed: string[];
  fallbacks: number;
  /** Of fallbacks that could not even be opened, when none was left to go on with. */
  untold?: Fact[];
}
export interface Recover {
  /** Changes the attempt and gives the facts that tell of it; undefined = the error stands. */
  failed(error: unknown, model: ChatModel, attempt: Attempt): Promise<Fact[] | undefined>;
  /** After a reply that could be used: what is done otherwise from the next step on. */
  read(reading: Reading, model: ChatModel, attempt: Attempt): Fact[];
}
export interface RecoverParts {
  /** The protocol follows the model: it may turn out to be another. */
  auto: boolean;
  /** In the order in which they are tried. */
  fallback: readonly ModelOption[];
  open(model: ModelOption): Promise<{ model: ChatModel; protocol: string }>;
}

/** Another model would not do better, or must not be asked to. */
const STANDS = new Set(['context_overflow', 'content_filter', 'max_tokens']);
/** A reply that was all thinking gets more room, up to this many tokens. */
const MOST_TOKENS = 32_768;

export function createRecover(parts: RecoverParts): Recover {
  return {
    async failed(error, model, attempt) {
      if (!(error instanceof HermesError) || (error.kind !== 'model' && error.kind !== 'usage')) return undefined;
      const { state } = attempt;
      if (error.code === 'tools_not_supported' && parts.auto && state.protocol === 'native') return toJson(model, attempt, 'refused');
      if (error.code === 'images_not_supported' && !attempt.blind) {
        attempt.blind = true;
        model.learn?.({ images: false });
        return [note('images_unseen', unseenText(model.id, state.language))];
      }
      if (error.code === 'max_tokens' && attempt.maxTokens !== undefined && attempt.maxTokens < MOST_TOKENS) {
        attempt.maxTokens = Math.min(attempt.maxTokens * 4, MOST_TOKENS);
        return [note('more_tokens', TEXT[state.language].room(model.id, attempt.maxTokens))];
      }
      return STANDS.has(error.code) ? undefined : nextModel(parts, error, model, attempt);
    },
    read(reading, model, attempt) {
      if (!reading.as_text || !parts.auto || attempt.state.protocol !== 'native') return [];
      return toJson(model, attempt, 'text');
    },
  };
}

function toJson(model: ChatModel, attempt: Attempt, why: 'refused' | 'text'): Fact[] {
  const { state } = attempt;
  attempt.state = { ...state, protocol: 'json' };
  model.learn?.({ protocol: 'json' });
  return [note('protocol_fallback', TEXT[state.language][why](model.id)), { event_type: 'run.change', data: { protocol: 'json' } }];
}

async function nextModel(parts: RecoverParts, error: HermesError, model: ChatModel, attempt: Attempt): Promise<Fact[] | undefined> {
  const { state, failed } = attempt;
  const text = TEXT[state.language];
  failed.push(model.id);
  const passed: Fact[] = [];
  while (attempt.fallbacks < parts.fallback.length) {
    const option = parts.fallback[attempt.fallbacks++] as ModelOption;
    try {
      const next = await parts.open(option);
      if (failed.includes(next.model.id)) continue;
      attempt.state = { ...state, model: next.model.id, protocol: next.protocol, messages: forModel(state.messages, false) };
      return [
        note('model_fallback', text.model(sentence(error.message), next.model.id)),
        ...passed,
        { event_type: 'run.change', data: { model: next.model.id, protocol: next.protocol } },
      ];
    } catch (unopened) {
      const name = typeof option === 'string' ? option : option.modelId; // no key, no such model: the next one
      passed.push(note('fallback_passed', text.passed(name, errorData(unopened).message)));
    }
  }
  attempt.untold = passed;
  return undefined;
}

/** Something may follow it on the line. */
export function sentence(text: string): string {
  return /[.!?。！？]$/.test(text) ? text : `${text}.`;
}

function note(code: string, message: string): Fact<'run.note'> {
  return { event_type: 'run.note', data: { level: 'warning', code, message } };
}

const TEXT = {
  en: {
    refused: (model: string) => `${model} refuses function calls here: the run goes on in the json protocol.`,
    text: (model: string) => `${model} writes its calls as text: the run goes on in the json protocol.`,
    room: (model: string, tokens: number) => `${model} used up max_tokens before its answer: asked again with ${tokens}.`,
    model: (why: string, next: string) => `${why} Going on with ${next}.`,
    passed: (name: string, why: string) => `The fallback ${name} was passed over: ${why}`,
  },
  zh: {
    refused: (model: string) => `${model} 在此不接受函数调用：改用 json 协议继续。`,
    text: (model: string) => `${model} 把工具调用写成了文本：改用 json 协议继续。`,
    room: (model: string, tokens: number) => `${model} 在回答之前用完了 max_tokens：以 ${tokens} 重新提问。`,
    model: (why: string, next: string) => `${why} 改用 ${next} 继续。`,
    passed: (name: string, why: string) => `备用模型 ${name} 无法使用，已跳过：${why}`,
  },
} as const;
