/** The performer behind `describe_image`: one light model call that says what the images of earlier rounds show. */

import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { unlessAborted } from '../kernel/abort.ts';
import { cut } from '../kernel/text.ts';
import type { State } from '../kernel/types.ts';
import { withRetry } from '../models/retry.ts';
import type { ChatModel } from '../models/types.ts';
import type { Templates } from '../protocols/templates.ts';
import { defined } from './defined.ts';
import { cannotSee, imagesOf } from './images.ts';
import type { ThinkParts } from './think.ts';
import type { FeaturePerformer } from './types.ts';

/** 120 words with room to spare; a model that writes on is cut off. */
const MOST_CHARACTERS = 2000;

export interface DescribeParts {
  model: ChatModel;
  cost: ThinkParts['cost'];
  templates: Templates;
}

/** Throws what the model throws: then only names and sizes stay. */
export async function describe(state: State, signal: AbortSignal, { model, cost, templates }: DescribeParts): ReturnType<FeaturePerformer> {
  if (cannotSee(model, state.protocol)) return { result: {} };
  const given = state.messages.slice(0, state.own_from).flatMap(imagesOf);
  const images = given.flatMap(({ name, media_type, data }): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => [
    { type: 'text', text: `${name}:` },
    { type: 'file', mediaType: media_type, filename: name, data: { type: 'data', data } },
  ]);
  const request = state.messages.slice(state.own_from).find((message) => message.role === 'user')?.content ?? '';
  const text = templates.fill('describe-image', state.language, { request: cut(request, MOST_CHARACTERS) });
  const prompt = [{ role: 'user' as const, content: [...images, { type: 'text' as const, text }] }];
  const reply = await withRetry(() => unlessAborted(model.ask({ prompt, abortSignal: signal }), signal), { signal });
  const description = cut(reply.text.trim(), MOST_CHARACTERS);
  const price = reply.cost ?? cost(model, reply.usage);
  return { result: description === '' ? {} : { description }, ...defined({ usage: reply.usage, cost: price }) };
}
