/** The provider's own function calling. Calls that an open model wrote as text instead are read, too. */

import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { JsonObject, Message, ProposedCall, Reply, State, ToolInfo } from '../kernel/types.ts';
import { bounded } from './boundary.ts';
import { cutOf, cutShort, proposedCalls, readOptions } from './calls.ts';
import { remembered } from './highlights.ts';
import { answerFormat, outputLine } from './output.ts';
import { type Kept, promptOf, userMessage } from './prompt.ts';
import type { Templates } from './templates.ts';
import type { Protocol, Reading } from './types.ts';

/** What does not change from run to run of an agent: a client that knows it again need not serialise it again. */
export interface NativeKept extends Kept {
  tools?: { of: readonly ToolInfo[]; functions: LanguageModelV4FunctionTool[] };
}

export function createNative(templates: Templates, kept: NativeKept = {}): Protocol {
  const render = promptOf(
    (state) => templates.fill('system', state.language, { instructions: state.instructions }) + outputLine(state, templates),
    (message, state) => renderMessage(message, state, templates),
    templates,
    kept,
  );
  return {
    name: 'native',
    render(state, infos): LanguageModelV4CallOptions {
      if (kept.tools?.of !== infos) kept.tools = { of: infos, functions: infos.map(functionTool) };
      const offered = infos.length > 0 ? { tools: kept.tools.functions, toolChoice: { type: 'auto' as const } } : {};
      const { output_schema: schema } = state;
      return { prompt: render(state), ...offered, ...(schema === undefined ? {} : { responseFormat: answerFormat(schema) }) };
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
      const output = { type: message.success ? ('text' as const) : ('error-text' as const), value: bounded(message, state) };
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

type Thinking = { reasoning?: string };

/** Valid calls and plain text, that is nearly everything, are read at once; the readers of broken output are loaded when needed. */
function readNative(reply: Reply, state: State, tools: readonly ToolInfo[]): Reading | Promise<Reading> {
  const thinking: Thinking = reply.reasoning === undefined ? {} : { reasoning: reply.reasoning };
  if (reply.calls.length > 0) {
    const plain = reply.calls.map(({ id, name, input }) => ({ id, name, arguments: validObject(input) }));
    if (plain.every(isReadable)) return withCalls(reply, thinking, state, tools, plain);
    return repaired(reply, thinking, state, tools);
  }
  if (state.output_schema !== undefined) return typedAnswer(reply, thinking, state, state.output_schema, tools);
  if (!mayHoldCalls(reply, tools)) return { text: reply.text, ...thinking, calls: [] };
  return withTextCalls(reply, thinking, state, tools);
}

function mayHoldCalls(reply: Reply, tools: readonly ToolInfo[]): boolean {
  return tools.length > 0 && MAY_HOLD_CALLS.test(reply.text);
}

/** Every dialect of calls in text has one of these. */
const MAY_HOLD_CALLS = /[<[{(`]|action/i;

function isReadable(call: { id: string; name: string; arguments: JsonObject | undefined }): call is ProposedCall {
  return call.arguments !== undefined;
}

function withCalls({ text, finish }: Reply, thinking: Thinking, state: State, tools: readonly ToolInfo[], read: ProposedCall[]): Reading {
  const calls = finish === 'length' ? cutShort(read, state.language) : read;
  return { text, ...thinking, calls, ...remembered(calls, tools, state) };
}

/** "" and absent arguments are {}; undefined when it is not valid JSON or no object. */
function validObject(input: string): JsonObject | undefined {
  if (input.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined; // read by the reader of broken output
  }
}

async function repaired(reply: Reply, thinking: Thinking, state: State, tools: readonly ToolInfo[]): Promise<Reading> {
  const { nativeCalls } = await import('./native-calls.ts');
  return withCalls(reply, thinking, state, tools, nativeCalls(reply));
}

/** An answer that has all the schema wants is no call, whatever it looks like. */
async function typedAnswer(
  reply: Reply,
  thinking: Thinking,
  state: State,
  schema: JsonObject,
  tools: readonly ToolInfo[],
): Promise<Reading> {
  const { isWholeAnswer, typedText } = await import('./typed.ts');
  const isAnswer = !mayHoldCalls(reply, tools) || isWholeAnswer(reply.text, schema);
  const reading = isAnswer ? { text: reply.text, ...thinking, calls: [] } : await withTextCalls(reply, thinking, state, tools);
  return reading.calls.length > 0 ? reading : { ...reading, text: typedText(reading.text, schema, cutOf(reply.finish)) };
}

async function withTextCalls(reply: Reply, thinking: Thinking, state: State, tools: readonly ToolInfo[]): Promise<Reading> {
  const { readCalls } = await import('./read-calls.ts');
  const read = readCalls(reply.text, readOptions(reply, tools));
  if (read.calls.length === 0 && read.problems.length === 0) return { text: reply.text, ...thinking, calls: [] };
  const inTags = read.reasoning === undefined ? {} : { reasoning: read.reasoning };
  const reading = withCalls({ ...reply, text: read.text }, { ...inTags, ...thinking }, state, tools, proposedCalls(read, state));
  return { ...reading, as_text: true };
}
