/**
 * One JSON object a reply, for models without function calling: {reasoning, action: "finish" | "tool_call", tool,
 * parameters, answer, highlights}. The names of the field reports work too: {thought, action, action_input}.
 */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isObject } from '../kernel/json.ts';
import type { AssistantMessage, Json, JsonObject, ProposedCall, Reply, State, ToolInfo } from '../kernel/types.ts';
import { callId, cutOf, cutShort, FINISH, proposedCalls, readOptions } from './calls.ts';
import { highlightsOf, withoutRemember } from './highlights.ts';
import { nativeCalls } from './native-calls.ts';
import { readCalls } from './read-calls.ts';
import { readJson } from './read-json.ts';
import { replySchema } from './reply-schema.ts';
import { answerOnly } from './streamed.ts';
import type { Templates } from './templates.ts';
import { type TextForm, textPrompt } from './text-prompt.ts';
import { looksLikeAnswer, typedText, typedValue } from './typed.ts';
import type { Protocol, Reading } from './types.ts';

const FORM: TextForm = { name: 'json', answerField: '"answer"', write: writeReply, result: '' };

export function createJson(templates: Templates): Protocol {
  const prompt = textPrompt(FORM, templates);
  let asked: { tools: readonly ToolInfo[]; output: JsonObject | undefined; schema: JsonObject } | undefined;
  return {
    name: 'json',
    render(state, offered): LanguageModelV4CallOptions {
      const [tools, output] = [withoutRemember(offered), state.output_schema];
      if (asked?.tools !== tools || asked.output !== output) asked = { tools, output, schema: replySchema(tools, output) };
      return { prompt: prompt(state, offered), responseFormat: { type: 'json', schema: asked.schema } };
    },
    read: (reply, state, tools) => readReply(reply, state, tools, templates),
    visible: answerOnly,
  };
}

function writeReply(message: AssistantMessage): string {
  const calls = (message.calls ?? []).map((call) => ({ tool: call.name, parameters: call.arguments }));
  if (calls.length === 0) return JSON.stringify({ action: 'finish', answer: message.content });
  const reasoning = message.content === '' ? {} : { reasoning: message.content };
  if (calls.length === 1) return JSON.stringify({ ...reasoning, action: 'tool_call', ...calls[0] });
  return JSON.stringify({ ...reasoning, action: 'tool_call', calls });
}

function readReply(reply: Reply, state: State, tools: readonly ToolInfo[], templates: Templates): Reading {
  const thinking = reply.reasoning === undefined ? {} : { reasoning: reply.reasoning };
  if (reply.calls.length > 0) {
    const calls = nativeCalls(reply);
    return { text: reply.text, ...thinking, calls: reply.finish === 'length' ? cutShort(calls, state.language) : calls };
  }
  const reading = readJson(reply.text, cutOf(reply.finish));
  if (reading.ok && looksLikeAnswer(reading.value, state.output_schema)) {
    return { text: typedValue(reading.value, state.output_schema), ...thinking, calls: [] };
  }
  if (reading.ok && isObject(reading.value)) {
    const understood = understand(reading.value, state, reading.repairs, tools);
    if (understood) {
      const cut = reply.finish === 'length' && understood.calls.length > 0 ? { calls: cutShort(understood.calls, state.language) } : {};
      return { ...thinking, ...understood, ...cut };
    }
  }
  const tagged = readCalls(reply.text, readOptions(reply, tools));
  if (tagged.calls.length > 0) return { text: tagged.text, ...thinking, calls: proposedCalls(tagged, state) };
  // Text without any attempt at JSON is an answer; a broken attempt is sent back once, then its text is the answer.
  if (!reply.text.includes('{') || (!reading.ok && reading.code === 'no_json')) {
    return { text: typedText(reply.text, state.output_schema), ...thinking, calls: [] };
  }
  const code = reading.ok ? 'unknown_form' : reading.code;
  const message = templates.fill('mend', state.language, { problem: reading.ok ? code : reading.message });
  return { text: outside(reply.text), ...thinking, calls: [], problem: { code, message } };
}

const CALL = /^(tool_?calls?|call_?tool|use_?tool|tool|call|调用工具)$/i;

/** The object's meaning, also where it stands in `reply` (see reply-schema.ts); undefined when it is some other JSON. */
function understand({ reply, ...whole }: JsonObject, state: State, repairs: string[], tools: readonly ToolInfo[]): Reading | undefined {
  const object = isObject(reply) ? { ...whole, ...reply } : whole;
  const reasoning = text(object.reasoning) ?? text(object.thought);
  const action = text(object.action);
  const known = (name: string | undefined) => name !== undefined && tools.some((tool) => tool.name === name);
  const isFinish = action !== undefined && FINISH.test(action) && !known(action);
  const answer = object.answer ?? object.final_answer ?? (isFinish ? object.action_input : undefined);
  const list = Array.isArray(object.calls) ? object.calls : Array.isArray(object.tool_calls) ? object.tool_calls : undefined;
  const named = action !== undefined && !isFinish && !CALL.test(action) ? action : undefined;
  const name = text(object.tool) ?? text(object.tool_name) ?? named ?? (known(text(object.name)) ? text(object.name) : undefined);
  const finishing = action !== undefined ? isFinish : answer !== undefined && answer !== null;
  if (finishing && answer !== undefined && answer !== null) {
    return { text: typedValue(answer, state.output_schema), calls: [], ...highlightsOf([object.highlights ?? []].flat(), state) };
  }
  const items = list ?? (name === undefined ? [] : [object]);
  const calls = items
    .filter((one) => isObject(one))
    .map((item, index) => oneCall(item, index === 0 ? name : undefined, state, index, repairs));
  if (calls.length === 0) return undefined;
  return { text: reasoning ?? '', calls };
}

function oneCall(item: JsonObject, fallback: string | undefined, state: State, index: number, repairs: string[]): ProposedCall {
  const name = text(item.tool) ?? text(item.tool_name) ?? text(item.name) ?? fallback ?? 'unknown';
  const given = item.parameters ?? item.arguments ?? item.args ?? item.action_input ?? item.input ?? {};
  const decoded = typeof given === 'string' && given.trim().startsWith('{') ? readJson(given) : undefined;
  const value = decoded?.ok ? decoded.value : given === '' ? {} : given;
  const base = { id: callId(state, index), name, ...(repairs.length > 0 ? { repairs } : {}) };
  if (isObject(value)) return { ...base, arguments: value };
  return { ...base, arguments: {}, problem: { code: 'not_an_object', message: `parameters of ${name}: expected a JSON object` } };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The prose around an unreadable object, or all of it when there is no other. An object without an end has nothing after it. */
function outside(reply: string): string {
  const open = reply.indexOf('{');
  const close = reply.lastIndexOf('}');
  const before = reply.slice(0, open).replace(/```\w*\s*$/, '');
  const after = close > open ? reply.slice(close + 1).replace(/^\s*```/, '') : '';
  return `${before.trim()}\n${after.trim()}`.trim() || reply;
}
