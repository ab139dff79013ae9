/** Remembers conversations as they were last serialised, so that a request costs only the messages that are new. */

import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { WriteMessage } from './openai-messages.ts';

/** Conversations whose serialised text is kept; the least recently used goes first. */
const maxTranscripts = 64;
const maxTranscriptBytes = 16 * 2 ** 20;

/** A conversation as it was last sent. `bytes` only grows at its end, so that a slice handed out never changes. */
interface Transcript {
  messages: LanguageModelV4Message[];
  /** End of each message in `bytes`. */
  ends: number[];
  bytes: Buffer;
}

/** Serialises prompts; one that begins like an earlier one (the same message objects) costs only what is new. */
export class Transcripts {
  private readonly write: WriteMessage;
  private recent: Transcript[] = [];

  constructor(write: WriteMessage) {
    this.write = write;
  }

  /** The messages, joined by commas. */
  serialise(prompt: readonly LanguageModelV4Message[]): Buffer {
    let transcript: Transcript | undefined;
    let shared = 0;
    for (const known of this.recent) {
      const length = commonLength(known.messages, prompt);
      if (length > shared) [transcript, shared] = [known, length];
      if (transcript === known && length === known.messages.length) break; // it goes on from here
    }
    if (!transcript || shared < transcript.messages.length) transcript = branch(transcript, shared);
    for (let i = shared; i < prompt.length; i++) append(transcript, prompt[i] as LanguageModelV4Message, this.write);
    this.remember(transcript);
    return transcript.bytes.subarray(0, transcript.ends.at(-1) ?? 0);
  }

  private remember(transcript: Transcript): void {
    if (this.recent[0] === transcript) return;
    const kept = [transcript];
    let bytes = transcript.bytes.length;
    for (const known of this.recent) {
      bytes += known.bytes.length;
      if (known !== transcript && kept.length < maxTranscripts && bytes <= maxTranscriptBytes) kept.push(known);
    }
    this.recent = kept;
  }
}

function commonLength(known: readonly LanguageModelV4Message[], prompt: readonly LanguageModelV4Message[]): number {
  const limit = Math.min(known.length, prompt.length);
  let length = 0;
  while (length < limit && known[length] === prompt[length]) length++;
  return length;
}

/** A new transcript that begins with the first `count` messages of another. */
function branch(from: Transcript | undefined, count: number): Transcript {
  const bytes = Buffer.allocUnsafe(4096);
  if (!from || count === 0) return { messages: [], ends: [], bytes };
  const end = from.ends[count - 1] as number;
  return {
    messages: from.messages.slice(0, count),
    ends: from.ends.slice(0, count),
    bytes: Buffer.concat([from.bytes.subarray(0, end), bytes]),
  };
}

function append(transcript: Transcript, message: LanguageModelV4Message, write: WriteMessage): void {
  const start = transcript.ends.at(-1) ?? 0;
  const rendered = write(message, transcript.messages.at(-1));
  const text = start > 0 && rendered !== '' ? `,${rendered}` : rendered;
  const end = start + Buffer.byteLength(text);
  if (end > transcript.bytes.length) {
    const larger = Buffer.allocUnsafe(2 * end);
    transcript.bytes.copy(larger, 0, 0, start);
    transcript.bytes = larger;
  }
  transcript.bytes.write(text, start);
  transcript.messages.push(message);
  transcript.ends.push(end);
}
