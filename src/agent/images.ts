/**
 * What becomes of images in the history. A model that cannot see is told so in words. In the rounds after the one in which an image was
 * given, a short description of it is kept instead of its bytes.
 */

import { messageTokens } from '../kernel/changes.ts';
import type { Fact, FilePart, JsonObject, Message, Rule, RunStart, State, UserMessage } from '../kernel/types.ts';
import { readHeader } from '../media/header.ts';
import { imageKind } from '../media/kind.ts';
import type { ChatModel } from '../models/types.ts';

/** The performer that describes the images of earlier rounds; its result is `{ description }`, or has none when that could not be had. */
export const DESCRIBE_IMAGE = 'describe_image';

const TEXT = {
  en: {
    image: (what: string) => `image ${what}`,
    unseen: ': this model cannot see images',
    earlier: ', given in an earlier round and not shown again',
    shows: '. It shows:\n',
    note: (model: string) => `${model} cannot see images: it is told their names and sizes only. Name a model that can (--model).`,
  },
  zh: {
    image: (what: string) => `图片 ${what}`,
    unseen: '：当前模型看不到图片',
    earlier: '，在较早的一轮中给出，不再显示',
    shows: '。内容：\n',
    note: (model: string) => `${model} 看不到图片，只会得知图片的名称和尺寸。请换用支持图片的模型（--model）。`,
  },
} as const;

export function cannotSee({ abilities }: Pick<ChatModel, 'abilities'>, protocol: string): boolean {
  return abilities?.images === false || protocol === 'guided'; // the rails hold words only
}

/** For people. */
export function unseenText(model: string, language: State['language']): string {
  return TEXT[language].note(model);
}

/** Tells people that what they gave will not be seen; undefined when there is no image, or it will. */
export function unseenNote({ input, protocol, language }: RunStart, model: ChatModel): Fact<'run.note'> | undefined {
  if (!input || imagesOf(input).length === 0 || !cannotSee(model, protocol)) return undefined;
  return { event_type: 'run.note', data: { level: 'warning', code: 'images_unseen', message: unseenText(model.id, language) } };
}

const blind = new WeakMap<Message, Message>();

/** The state for a model that cannot see: words in place of images. The same messages give the same objects, so that the front stays as it is. */
export function withoutImages(state: State): State {
  if (!state.messages.some((message) => imagesOf(message).length > 0)) return state;
  const { unseen } = TEXT[state.language];
  const messages = state.messages.map((message) => {
    if (imagesOf(message).length === 0) return message;
    const known = blind.get(message) ?? inWords(message as UserMessage, (file) => `[${nameOf(file, state)}${unseen}]`);
    blind.set(message, known);
    return known;
  });
  return { ...state, messages };
}

/**
 * Before a run's first step: images of earlier rounds become words. First they are described (one light call), then the description
 * takes their place. Forks in the middle of a round keep that round's images.
 */
export const describeImages: Rule = (state) => {
  if (state.step > 0) return undefined;
  const count = state.messages.findLastIndex((message, index) => index < state.own_from && imagesOf(message).length > 0) + 1;
  if (count === 0) return undefined;
  const result = state.results[DESCRIBE_IMAGE] as JsonObject | undefined;
  const old = state.messages.slice(0, count);
  if (!result) return { do: 'perform', name: DESCRIBE_IMAGE, input: old.flatMap(imagesOf).map((file) => nameOf(file, state)) };
  const { earlier, shows } = TEXT[state.language];
  let description = typeof result.description === 'string' ? shows + result.description : '';
  const messages = old.map((message) => {
    if (imagesOf(message).length === 0) return message;
    return inWords(message as UserMessage, (file) => {
      const words = `[${nameOf(file, state)}${earlier}${description}]`;
      description = ''; // it speaks of all of them, and stands at the first
      return words;
    });
  });
  const tokens_after = Math.max(0, state.tokens - sum(old) + sum(messages));
  const data = { count, messages, own_from: state.own_from, tokens_before: state.tokens, tokens_after };
  return { do: 'record', facts: [{ event_type: 'memory.compact', data }] };
};

export function imagesOf(message: Message): FilePart[] {
  return message.role === 'user' ? (message.files ?? []).filter(isImage) : [];
}

function isImage(file: FilePart): boolean {
  return file.media_type.startsWith('image/');
}

function inWords(message: UserMessage, words: (file: FilePart) => string): UserMessage {
  const files = (message.files ?? []).map((file) =>
    isImage(file) ? { name: file.name, media_type: 'text/plain', data: words(file) } : file,
  );
  return { ...message, files };
}

/** Name, size and type, as people and models read them. */
function nameOf({ name, media_type, data }: FilePart, { language }: Pick<State, 'language'>): string {
  const bytes = Buffer.from(data.slice(0, 200_000), 'base64'); // the header stands at the beginning
  const kind = imageKind(bytes);
  const { width, height } = kind ? readHeader(kind, bytes) : {};
  const type = media_type.replace('image/', '').toUpperCase();
  return TEXT[language].image(`${name}, ${width && height ? `${width}x${height} ` : ''}${type}`);
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((total, message) => total + messageTokens(message), 0);
}
