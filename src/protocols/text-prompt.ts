/** Prompts of the protocols in which everything is text: tools stand in the system message, calls and results in the talk. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { AssistantMessage, Message, State, ToolInfo } from '../kernel/types.ts';
import { bounded } from './boundary.ts';
import { withoutRemember } from './highlights.ts';
import { outputLine } from './output.ts';
import { promptOf, userMessage } from './prompt.ts';
import type { Templates } from './templates.ts';

export interface TextForm {
  /** Also the name of the template. */
  name: 'json' | 'react';
  /** Where the final answer stands, as the model knows it. */
  answerField: string;
  /** The history shows the model its own replies in the agreed form, whatever form they came in. */
  write(message: AssistantMessage): string;
  /** What stands before a result. */
  result: string;
}

export function textPrompt(form: TextForm, templates: Templates): (state: State, offered: readonly ToolInfo[]) => LanguageModelV4Prompt {
  let infos: readonly ToolInfo[] | undefined;
  let prompt: (state: State) => LanguageModelV4Prompt;
  return (state, offered) => {
    const tools = withoutRemember(offered);
    if (infos !== tools) prompt = promptWith(tools, form, templates); // other tools make another system message
    infos = tools;
    return prompt(state);
  };
}

function promptWith(tools: readonly ToolInfo[], form: TextForm, templates: Templates): (state: State) => LanguageModelV4Prompt {
  const described = tools.map(describe).join('\n');
  return promptOf(
    (state) =>
      templates.fill(form.name, state.language, { instructions: state.instructions, tools: described }) +
      outputLine(state, templates, form.answerField),
    (message, state) => renderMessage(message, state, form, templates),
    templates,
  );
}

function describe(info: ToolInfo): string {
  return JSON.stringify({ name: info.name, description: info.description, parameters: info.input_schema });
}

function renderMessage(message: Message, state: State, form: TextForm, templates: Templates): LanguageModelV4Message {
  if (message.role === 'user') return userMessage(message);
  if (message.role === 'assistant') return { role: 'assistant', content: [{ type: 'text', text: form.write(message) }] };
  if (message.role === 'note') return user(templates.fill('note', state.language, { text: message.content }));
  const { name, success } = message;
  const content = bounded(message, state);
  return user(form.result + templates.fill('tool-result', state.language, { name, status: success ? 'ok' : 'error', content }));
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}
