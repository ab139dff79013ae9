/**
 * Thought, Action, Action Input, Observation, Final Answer: the form that many models have seen, as plain text. Several actions may
 * stand in one reply. What a model writes behind `Observation:` it has made up, so it is cut away.
 */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isObject } from '../kernel/json.ts';
import type { AssistantMessage, JsonObject, ProposedCall, Reply, State, ToolInfo } from '../kernel/types.ts';
import { callId, cutOf, cutShort, FINISH, proposedCalls, readOptions } from './calls.ts';
import { highlightsOf } from './highlights.ts';
import { nativeCalls } from './native-calls.ts';
import { ENDS_ANSWER, highlightList, type Label, labelsIn, type Place, withoutLabels } from './react-text.ts';
import { readCalls } from './read-calls.ts';
import { readJson } from './read-json.ts';
import { finalAnswerOnly, jsonOnly } from './streamed.ts';
import { kindsOf } from './strict.ts';
import type { Templates } from './templates.ts';
import { type TextForm, textPrompt } from './text-prompt.ts';
import { isWholeAnswer, typedText } from './typed.ts';
import type { Protocol, Reading } from './types.ts';

const FORM: TextForm = { name: 'react', answerField: 'Final Answer', write: writeReply, result: 'Observation: ' };
/** Endpoints that refuse stop sequences get none; the reader cuts there, too. */
const STOPS = ['\nObservation:', '\n观察：', '\n观察:'];

export function createReact(templates: Templates): Protocol {
  const prompt = textPrompt(FORM, templates);
  let output: JsonObject | undefined; // of the run that this instance serves
  return {
    name: 'react',
    render(state, tools): LanguageModelV4CallOptions {
      output = state.output_schema;
      return { prompt: prompt(state, tools), stopSequences: STOPS };
    },
    read: (reply, state, tools) => readReply(reply, state, tools, templates),
    visible() {
      const answer = finalAnswerOnly();
      if (output === undefined || !kindsOf(output).every((kind) => kind === 'object' || kind === 'array')) return answer;
      const json = jsonOnly();
      return (piece) => json(answer(piece));
    },
  };
}

function writeReply({ content, calls = [] }: AssistantMessage): string {
  if (calls.length === 0) return `Final Answer: ${content}`;
  const actions = calls.map((call) => `Action: ${call.name}\nAction Input: ${JSON.stringify(call.arguments)}`);
  return [...(content === '' ? [] : [`Thought: ${content}`]), ...actions].join('\n');
}

function readReply(reply: Reply, state: State, tools: readonly ToolInfo[], templates: Templates): Reading {
  const { text, thought } = withoutThinking(reply.text);
  const reasoning = reply.reasoning ?? thought;
  const thinking = reasoning === undefined ? {} : { reasoning };
  if (reply.calls.length > 0) return { text: withoutLabels(text), ...thinking, calls: unlessCut(nativeCalls(reply), reply, state) };
  const labels = labelsIn(text);
  const action = first(labels, 'action');
  const answer = first(labels, 'answer');
  const finish = answer && (action === undefined || answer.from < action.from) ? answer : finishingInput(text, labels, action, tools);
  if (finish) return { ...thinking, ...readAnswer(text, finish, labels, reply, state) };
  const calls = readActions(text, labels, reply, state, tools);
  if (calls) return { ...thinking, ...calls };
  if (action === undefined && first(labels, 'thought') === undefined) {
    return { ...thinking, ...readAnswer(text, { label: 'answer', from: 0, to: 0 }, labels, reply, state) };
  }
  const code = reply.finish === 'length' ? 'truncated' : 'no_action';
  return {
    text: withoutLabels(text),
    ...thinking,
    calls: [],
    problem: { code, message: templates.fill('mend-react', state.language, {}) },
  };
}

function first(labels: readonly Place[], label: Label): Place | undefined {
  return labels.find((place) => place.label === label);
}

/** Thinking that stands in the text, also when its opening tag was in the prompt. */
function withoutThinking(text: string): { text: string; thought?: string } {
  const [whole, thought] = /^(?:\s*<think(?:ing)?>)?((?:(?!<think)[\s\S])*?)<\/think(?:ing)?>\s*/i.exec(text) ?? [];
  if (whole !== undefined) return { text: text.slice(whole.length), thought: thought!.trim() };
  return /^\s*<think(?:ing)?>/i.test(text) ? { text: '', thought: text.replace(/^\s*<think(?:ing)?>/i, '').trim() } : { text };
}

// ---- answers -------------------------------------------------------------------------------------------

/** The answer behind the label, without the highlights that follow it. */
function readAnswer(text: string, at: Place, labels: readonly Place[], reply: Reply, state: State): Reading {
  const behind = labels.filter((place) => place.from >= at.to && place !== at);
  const end = behind.find(({ label }) => ENDS_ANSWER.includes(label));
  const written = text.slice(at.to, end?.from).trim();
  const said = at.label === 'input' && state.output_schema === undefined ? onlyText(written) : written;
  const told = behind.filter(({ label }) => label === 'highlights');
  const lists = told.flatMap((place) => highlightList(text.slice(place.to, labels[labels.indexOf(place) + 1]?.from)));
  return { text: typedText(said, state.output_schema, cutOf(reply.finish)), calls: [], ...highlightsOf(lists, state) };
}

/** Of an input like {"answer": "..."} the text. */
function onlyText(written: string): string {
  const reading = /^\{/.test(written) ? readJson(written) : undefined;
  const [value, ...others] = reading?.ok && isObject(reading.value) ? Object.values(reading.value) : [];
  return typeof value === 'string' && others.length === 0 ? value : written;
}

/** `Action: Finish`, whose input is the answer; unless a tool is called so. */
function finishingInput(text: string, labels: readonly Place[], action: Place | undefined, tools: readonly ToolInfo[]): Place | undefined {
  if (action === undefined) return undefined;
  const input = labels[labels.indexOf(action) + 1];
  const name = text.slice(action.to, input?.from).replace(/[*`]/g, '').trim();
  return input?.label === 'input' && FINISH.test(name) && !tools.some((tool) => tool.name === name) ? input : undefined;
}

// ---- actions -------------------------------------------------------------------------------------------

/** The calls of a reply, in whatever dialect; undefined when it holds none. */
function readActions(text: string, labels: readonly Place[], reply: Reply, state: State, tools: readonly ToolInfo[]): Reading | undefined {
  const action = first(labels, 'action');
  const start = action?.from ?? 0;
  const invented = labels.find(({ label, from }) => label === 'observation' && from > start);
  const said = text.slice(start, invented?.from);
  if (action === undefined && state.output_schema !== undefined && isWholeAnswer(said, state.output_schema)) return undefined;
  const options = readOptions(reply, tools);
  const read = readCalls(said, invented ? { ...options, cut: false } : options);
  const found = proposedCalls(read, state);
  const calls = found.length > 0 ? found : withoutInput(text, action, tools, state);
  if (calls.length === 0) return undefined;
  const thought = withoutLabels(action === undefined ? read.text : text.slice(0, start));
  return { text: thought, calls: invented ? calls : unlessCut(calls, reply, state) };
}

/** An action without its input is never run: the input may have been lost. */
function withoutInput(text: string, action: Place | undefined, tools: readonly ToolInfo[], state: State): ProposedCall[] {
  const line = action === undefined ? '' : text.slice(action.to).split('\n')[0]!;
  const name = line.replace(/[*`]/g, '').trim();
  if (!tools.some((tool) => tool.name === name)) return [];
  const message = `Action Input is missing; write one JSON object, {} for no arguments`;
  return [{ id: callId(state, 0), name, arguments: {}, problem: { code: 'no_input', message } }];
}

function unlessCut(calls: ProposedCall[], { finish }: Reply, { language }: State): ProposedCall[] {
  return finish === 'length' ? cutShort(calls, language) : calls;
}
