/** The provider's own function calling. Calls that an open model wrote as text instead are read, too. */

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Message, ProposedCall, Reply, State, ToolInfo } from '../kernel/types.ts';
import { cutShort, proposedCalls } from './calls.ts';
import { promptOf, userMessage } from './prompt.ts';
import { readCalls } from './read-calls.ts';
import { readJson } from './read-json.ts';
import type { Templates } from './templates.ts';
import type { Protocol, Reading } from './types.ts';

export function createNative(templates: Templates): Protocol {
  const render = promptOf(
    (state) => templates.fill('system', state.language, { instructions: state.instructions }),
    (message, state) => renderMessage(message, state, templates),
  );
  let rendered: { infos: readonly ToolInfo[]; tools: LanguageModelV4FunctionTool[] } | undefined;
  return {
    name: 'native',
    render(state, infos): LanguageModelV4CallOptions {
      if (rendered?.infos !== infos) rendered = { infos, tools: infos.map(functionTool) };
      return { prompt: render(state), ...(infos.length > 0 ? { tools: rendered.tools, toolChoice: { type: 'auto' } } : {}) };
    },
    read: readNative,
  };
}

function functionTool(info: ToolInfo): LanguageModelV4FunctionTool {
  return { type: 'function', name: info.name, description: info.description, inputSchema: info.input_schema };
}

function renderMessage(message: Message, state: State, templates: Templates): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return userMessage(message);
    case 'note':
      return { role: 'user', content: [{ type: 'text', text: templates.fill('note', state.language, { text: message.content }) }] };
    case 'tool': {
      const output = { type: message.success ? ('text' as const) : ('error-text' as const), value: message.content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.call_id, toolName: message.name, output }] };
    }
    case 'assistant': {
      const content: Extract<LanguageModelV4Message, { role: 'assistant' }>['content'] = [];
      if (message.reasoning !== undefined) content.push({ type: 'reasoning', text: message.reasoning });
      if (message.content !== '') content.push({ type: 'text', text: message.content });
      for (const call of message.calls ?? []) {
        content.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments });
      }
      if (content.length === 0) content.push({ type: 'text', text: '' });
      const extra = message.extra as Extract<LanguageModelV4Message, { role: 'assistant' }>['providerOptions'];
      return { role: 'assistant', content, ...(extra === undefined ? {} : { providerOptions: extra }) };
    }
  }
}

function readNative(reply: Reply, state: State, tools: readonly ToolInfo[]): Reading {
  const reasoning = reply.reasoning === undefined ? {} : { reasoning: reply.reasoning };
  if (reply.calls.length > 0) {
    const calls = reply.calls.map((call): ProposedCall => ({ id: call.id, name: call.name, ...readArguments(call.input) }));
    return { text: reply.text, ...reasoning, calls: reply.finish === 'length' ? cutShort(calls, state.language) : calls };
  }
  return withTextCalls(reply, reasoning, state, tools);
}

/** "" and absent arguments are {}; anything that is not an object after repair is the call's problem. */
function readArguments(input: string): Pick<ProposedCall, 'arguments' | 'repairs' | 'problem'> {
  if (input.trim() === '') return { arguments: {} };
  const reading = readJson(input);
  if (!reading.ok) return { arguments: {}, problem: { code: reading.code, message: reading.message } };
  if (reading.value === null || typeof reading.value !== 'object' || Array.isArray(reading.value)) {
    return { arguments: {}, problem: { code: 'not_an_object', message: 'arguments: expected a JSON object' } };
  }
  return { arguments: reading.value, ...(reading.repairs.length > 0 ? { repairs: reading.repairs } : {}) };
}

function withTextCalls(reply: Reply, reasoning: { reasoning?: string }, state: State, tools: readonly ToolInfo[]): Reading {
  const read = tools.length > 0 ? readCalls(reply.text, { tools: tools.map((tool) => tool.name) }) : undefined;
  if (!read || (read.calls.length === 0 && read.problems.length === 0)) return { text: reply.text, ...reasoning, calls: [] };
  const calls = proposedCalls(read, state);
  return { text: read.text, ...reasoning, calls: reply.finish === 'length' ? cutShort(calls, state.language) : calls };
}
