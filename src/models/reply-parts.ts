/**
 * What providers demand back with an answer (signatures of thinking, encrypted reasoning, item ids), kept part by part.
 * A Reply has one text and one thinking; `extra` says how they were made of parts, and what each part carried.
 */

import type { LanguageModelV4Message, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { JsonObject } from '../kernel/types.ts';

/** Under this name `extra` holds the parts. */
const extraKey = 'ai-sdk';

const betweenThoughts = '\n\n';

type PartType = 'reasoning' | 'text' | 'call';
interface StoredPart {
  type: PartType;
  /** Its share of the reply's text or thinking, in UTF-16 units; calls have none and are known by their order. */
  length?: number;
  /** What stands in the reply before it and is not of the provider. */
  gap?: number;
  metadata?: SharedV4ProviderMetadata;
}

/** Follows the stream of one answer. */
export class PartRecorder {
  private readonly parts: StoredPart[] = [];
  private readonly open = new Map<string, StoredPart>();

  /**
   * A piece of a part of text or thinking, or its beginning (length 0). Gives what has to be written before it:
   * thoughts are parted by an empty line, where texts go on.
   */
  add(type: 'reasoning' | 'text', id: string, length: number, metadata: SharedV4ProviderMetadata | undefined): string {
    const key = `${type} ${id}`;
    let part = this.open.get(key);
    if (!part) {
      part = { type, length: 0 };
      this.open.set(key, part);
      this.parts.push(part);
    }
    const begins = type === 'reasoning' && length > 0 && !part.length;
    const between = begins && this.parts.some((other) => other.type === 'reasoning' && other.length) ? betweenThoughts : '';
    if (between) part.gap = between.length;
    part.length = (part.length ?? 0) + length;
    merge(part, metadata);
    return between;
  }

  close(type: 'reasoning' | 'text', id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    this.add(type, id, 0, metadata);
    this.open.delete(`${type} ${id}`); // some providers use an id again
  }

  call(metadata: SharedV4ProviderMetadata | undefined): void {
    const part: StoredPart = { type: 'call' };
    merge(part, metadata);
    this.parts.push(part);
  }

  /** Undefined when nothing has to go back but what the reply holds anyway. */
  extra(): JsonObject | undefined {
    const kept = this.parts.filter((part) => part.length !== 0 || part.metadata);
    if (!kept.some((part) => part.metadata)) return undefined;
    // Metadata may hold undefined; a log may not.
    return { [extraKey]: { parts: JSON.parse(JSON.stringify(kept)) } };
  }
}

function merge(part: StoredPart, metadata: SharedV4ProviderMetadata | undefined): void {
  if (!metadata) return;
  part.metadata ??= {};
  for (const [provider, fields] of Object.entries(metadata)) part.metadata[provider] = { ...part.metadata[provider], ...fields };
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type Content = AssistantMessage['content'];

/** The message as the provider wrote it: each part with what it carried. Any other message comes back as it is. */
export function withStoredParts(message: LanguageModelV4Message): LanguageModelV4Message {
  const stored = message.role === 'assistant' ? storedParts(message) : undefined;
  if (!stored) return message;
  const { content, providerOptions } = message as AssistantMessage;
  const { [extraKey]: _parts, ...others } = providerOptions ?? {};
  const calls = content.filter((part) => part.type === 'tool-call');
  const texts = { reasoning: new Pieces(content, 'reasoning', stored), text: new Pieces(content, 'text', stored) };
  const rebuilt: Content = [];
  let used = 0;
  for (const { type, length = 0, gap = 0, metadata } of stored) {
    const options = metadata && { providerOptions: metadata };
    if (type === 'call') {
      const call = calls[used++];
      if (call) rebuilt.push({ ...call, ...options });
    } else {
      const text = texts[type].take(length, gap);
      if (text !== undefined && (text !== '' || metadata)) rebuilt.push({ type, text, ...options });
    }
  }
  rebuilt.push(...calls.slice(used));
  const rest = texts.text.rest();
  const firstCall = rebuilt.findIndex((part) => part.type === 'tool-call');
  if (rest) rebuilt.splice(firstCall < 0 ? rebuilt.length : firstCall, 0, { type: 'text', text: rest });
  return { role: 'assistant', content: rebuilt, ...(Object.keys(others).length > 0 && { providerOptions: others }) };
}

function storedParts(message: AssistantMessage): StoredPart[] | undefined {
  const parts = message.providerOptions?.[extraKey]?.parts;
  return Array.isArray(parts) ? (parts as unknown as StoredPart[]) : undefined;
}

/** Cuts one text into the pieces that it was made of. Where a protocol has changed the text since, it cannot be cut. */
class Pieces {
  private left: string;
  private readonly whole: boolean;
  private readonly type: 'reasoning' | 'text';

  constructor(content: Content, type: 'reasoning' | 'text', stored: StoredPart[]) {
    this.type = type;
    this.left = content.map((part) => (part.type === type ? part.text : '')).join('');
    const lengths = stored.reduce((sum, part) => sum + (part.type === type ? (part.length ?? 0) + (part.gap ?? 0) : 0), 0);
    this.whole = lengths === this.left.length;
  }

  /** Changed thinking would not fit its signature: undefined then. Changed text goes into the first piece. */
  take(length: number, gap: number): string | undefined {
    if (!this.whole && this.type === 'reasoning') return undefined;
    const end = this.whole ? gap + length : this.left.length;
    const piece = this.left.slice(this.whole ? gap : 0, end);
    this.left = this.left.slice(end);
    return piece;
  }

  rest(): string {
    return this.left;
  }
}
