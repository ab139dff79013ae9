/** What every protocol shares when it renders: the prompt grows by new messages only, and each message is rendered once. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Message, State, UserMessage } from '../kernel/types.ts';
import { SECURITY, type Templates } from './templates.ts';

/** The system message as it was last made; runs of the same templates may share it. */
export interface Kept {
  head?: Pick<State, 'instructions' | 'output_schema' | 'language'> & { message: LanguageModelV4Message };
}

/**
 * Gives the prompt of a state. The security rule ends every system message: no instructions and no template are without it. The same
 * message objects come back in each prompt, so that a client can cache what it serialised.
 */
export function promptOf(
  system: (state: State) => string,
  render: (message: Message, state: State) => LanguageModelV4Message,
  templates: Templates,
  kept: Kept = {},
): (state: State) => LanguageModelV4Prompt {
  const rendered = new WeakMap<Message, LanguageModelV4Message>();
  return (state) => {
    const { instructions, output_schema, language } = state;
    let { head } = kept;
    if (head?.instructions !== instructions || head.output_schema !== output_schema || head.language !== language) {
      const content = `${system(state)}\n\n${templates.get(SECURITY, language).text}`;
      head = { instructions, output_schema, language, message: { role: 'system', content } };
      kept.head = head;
    }
    const prompt: LanguageModelV4Prompt = [head.message];
    for (const message of state.messages) {
      let known = rendered.get(message);
      if (!known) {
        known = render(message, state);
        rendered.set(message, known);
      }
      prompt.push(known);
    }
    return prompt;
  };
}

export function userMessage(message: UserMessage): LanguageModelV4Message {
  const files = (message.files ?? []).map((file) =>
    file.media_type.startsWith('image/')
      ? { type: 'file' as const, mediaType: file.media_type, filename: file.name, data: { type: 'data' as const, data: file.data } }
      : { type: 'text' as const, text: `<file name="${file.name}">\n${file.data}\n</file>` },
  );
  return { role: 'user', content: [...files, { type: 'text', text: message.content }] };
}
