/** Prompts as the tokens that a .gguf model was trained on: its own chat template, text never read as control tokens. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ChatHistoryItem, LlamaModel, Token } from 'node-llama-cpp';

export interface PromptTemplate {
  tokens(prompt: LanguageModelV4Prompt): Token[];
}

/** A prompt without a system message gets the one that the template itself puts there. */
export function createTemplate(runtime: typeof import('node-llama-cpp'), model: LlamaModel): PromptTemplate {
  const template = model.fileInfo.metadata.tokenizer?.chat_template ?? '';
  // Trying out all wrappers takes half a second; most small models speak ChatML.
  const wrapper = template.includes('<|im_start|>') ? new runtime.ChatMLChatWrapper() : runtime.resolveChatWrapper(model);
  const ownSystem = /<\|im_start\|>system\\?n?\n?([^<{]+)<\|im_end\|>/.exec(template)?.[1]?.replace(/^\\n/, '').trim();
  return {
    tokens(prompt) {
      const chatHistory = prompt.map(historyItem);
      if (ownSystem && prompt[0]?.role !== 'system') chatHistory.unshift({ type: 'system', text: ownSystem });
      if (prompt.at(-1)?.role !== 'assistant') chatHistory.push({ type: 'model', response: [''] });
      const tokens = wrapper.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
      // Where the first control token of the template is the BOS token, the wrapper has put it there twice.
      return tokens[0] === model.tokens.bos && tokens[1] === tokens[0] ? tokens.slice(1) : tokens;
    },
  };
}

function historyItem(message: LanguageModelV4Message): ChatHistoryItem {
  switch (message.role) {
    case 'system':
      return { type: 'system', text: message.content };
    case 'user':
      return { type: 'user', text: textOf(message.content) };
    case 'assistant':
      return { type: 'model', response: [textOf(message.content)] };
    case 'tool':
      return { type: 'user', text: message.content.map((part) => JSON.stringify('output' in part ? part.output : part)).join('\n') };
  }
}

function textOf(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}
