/** The files of a request: read, known by their content, images made ready for the model. Loaded by the requests that have any. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HermesError } from '../kernel/errors.ts';
import type { FilePart, UserMessage } from '../kernel/types.ts';
import { imageKind, mediaType } from '../media/kind.ts';
import { MOST_IMAGE_BYTES, prepareImage } from '../media/prepare.ts';
import type { ChatModel } from '../models/types.ts';
import type { GivenFile } from './types.ts';

/** Far beyond what any model reads at once; larger texts were given by mistake. */
const MOST_TEXT_BYTES = 1_000_000;
const IMAGE_NAME = /\.(png|jpe?g|gif|webp|bmp|tiff?|hei[cf]|avif)$/i;

/** A file that has been read: a text, or the bytes of an image. */
export interface LoadedFile {
  name: string;
  media_type: string;
  data: string | Uint8Array;
}

/** The message with its files as they go to this model and into the log. */
export async function withFiles(message: UserMessage, given: readonly GivenFile[], model: ChatModel): Promise<UserMessage> {
  const files: FilePart[] = [];
  for (const one of given) files.push(await prepared(await loadFile(one), model)); // one after another: a decoded image is large
  return { ...message, files };
}

async function prepared({ name, media_type, data }: LoadedFile, { abilities }: ChatModel): Promise<FilePart> {
  if (typeof data === 'string') return { name, media_type, data: data.toWellFormed() };
  const bytes = asBuffer(data);
  const image = await prepareImage(name, imageKind(bytes)!, bytes, abilities?.images || {});
  return { name, media_type: image.media_type, data: asBuffer(image.bytes).toString('base64') };
}

/** Throws a HermesError that names the file and what is wrong with it. */
export async function loadFile(given: GivenFile): Promise<LoadedFile> {
  if (typeof given === 'string' || given instanceof URL) return readFile(given);
  const { name, data, media_type = 'text/plain' } = given;
  if (typeof data !== 'string') return loadBytes(name, data);
  const isSaidImage = media_type.startsWith('image/') && media_type !== 'image/svg+xml';
  const image = imageInText(data) ?? (isSaidImage ? Buffer.from(data, 'base64') : undefined);
  if (image) return loadBytes(name, image);
  return { name, media_type: media_type.startsWith('image/') ? 'text/plain' : media_type, data };
}

/** What bytes are is told by themselves: an image, or UTF-8 text. */
export function loadBytes(name: string, data: Uint8Array): LoadedFile {
  const kind = imageKind(data);
  const most = kind ? MOST_IMAGE_BYTES : MOST_TEXT_BYTES;
  if (data.length > most) throw tooLarge(name, data.length, most);
  if (kind) return { name, media_type: mediaType(kind), data };
  if (data.length === 0 && IMAGE_NAME.test(name)) throw wrong('file_empty', `${name} is empty (0 bytes).`, { name });
  if (data.includes(0)) throw wrong('file_binary', `${name} is neither text nor an image (PNG, JPEG, GIF, WebP).`, { name });
  try {
    return { name, media_type: 'text/plain', data: new TextDecoder('utf-8', { fatal: true }).decode(data) };
  } catch {
    throw wrong('file_not_text', `${name} is not valid UTF-8 text.`, { name });
  }
}

/** Not more than is allowed is ever read, also of what has no end. */
async function readFile(path: string | URL): Promise<LoadedFile> {
  const place = path instanceof URL ? fileURLToPath(path) : path;
  const name = basename(place);
  const chunks: Buffer[] = [];
  let length = 0;
  let most = MOST_IMAGE_BYTES;
  try {
    const { size } = await stat(place);
    for await (const chunk of createReadStream(place) as AsyncIterable<Buffer>) {
      if (length === 0 && !imageKind(chunk)) most = MOST_TEXT_BYTES;
      length += chunk.length;
      if (Math.max(size, length) > most) throw tooLarge(name, Math.max(size, length), most);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof HermesError) throw error;
    const { message: reason } = error as Error;
    throw wrong('file_unreadable', `${place} cannot be read: ${reason}.`, { name: place, reason });
  }
  return loadBytes(name, Buffer.concat(chunks));
}

/** The image that a base64 text or a data: URL holds. */
function imageInText(text: string): Buffer | undefined {
  const [, base64 = text] = /^data:image\/[^,]*;base64,(.*)$/s.exec(text) ?? [];
  if (!imageKind(Buffer.from(base64.slice(0, 80), 'base64')) || !/^[A-Za-z0-9+/_=\s-]*$/.test(base64)) return undefined;
  return Buffer.from(base64, 'base64');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function tooLarge(name: string, bytes: number, most: number): HermesError {
  return wrong('file_too_large', `${name} is too large: ${bytes} bytes, at most ${most}.`, { name, bytes, most });
}

function wrong(code: string, message: string, data: Record<string, string | number>): HermesError {
  return new HermesError(code, message, { kind: 'usage', next: 'Give a UTF-8 text, or an image (PNG, JPEG, GIF, WebP).', data });
}
