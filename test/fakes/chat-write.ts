/** An answer of chat completions, whole or as a stream with the vendor's habits. */

import type { JsonObject } from '../../src/kernel/types.ts';
import type { Issued } from './chat.ts';
import type { ChatRules } from './chat-rules.ts';
import { halves } from './pieces.ts';
import type { Answer, Counted, Said } from './types.ts';

interface SaidHere extends Omit<Said, 'calls' | 'reasoning'> {
  reasoning?: string | undefined;
  calls: { id: string; name: string; arguments: JsonObject; signature: string }[];
}

export function chatAnswer(rules: ChatRules, body: JsonObject, said: SaidHere, counted: Counted): { answer: Answer; message: Issued } {
  const wire = { id: 'chatcmpl-1', created: 1_790_000_000, model: body.model as string };
  const finish = said.calls.length > 0 ? (rules.toolFinish ?? 'tool_calls') : 'stop';
  const thinking = thinkingFields(rules, body, said.reasoning);
  const issued: Issued = {
    text: (thinking.tags ?? '') + (said.text ?? ''),
    thinking: thinking.parts === undefined ? thinking.fields : { content: thinking.parts },
    calls: said.calls.map(({ id, signature }, at) => ({ id, ...(rules.signs && at === 0 && { extra: signed(signature) }) })),
  };
  if (body.stream === true) {
    const deltas = streamDeltas(rules, said, thinking);
    return { answer: { type: 'text/event-stream', pieces: events(rules, wire, deltas, finish, rules.usage(counted)) }, message: issued };
  }
  const content =
    thinking.parts === undefined ? issued.text : [thinkingPart(thinking.parts), ...(said.text ? [{ type: 'text', text: said.text }] : [])];
  const message = {
    role: 'assistant',
    content: content === '' ? null : content,
    ...thinking.fields,
    ...(said.calls.length > 0 && { tool_calls: said.calls.map((call, index) => ({ index, ...wholeCall(rules, call, index) })) }),
  };
  const choices = [{ index: 0, message, finish_reason: finish }];
  const text = JSON.stringify({ ...wire, object: 'chat.completion', choices, usage: rules.usage(counted) });
  return { answer: { type: 'application/json', pieces: [(rules.blankLines ? '\n\n\n' : '') + text] }, message: issued };
}

// ---- thinking ----------------------------------------------------------------------------------------------

interface Thinking {
  /** Of the whole message. */
  fields: JsonObject;
  /** In the text. */
  tags?: string;
  /** As content parts. */
  parts?: string;
}

function thinkingFields({ thinking: form }: ChatRules, body: JsonObject, reasoning: string | undefined): Thinking {
  if (!form || !reasoning) return { fields: {} };
  if (form.kind === 'field') return { fields: { [form.field]: reasoning } };
  if (form.kind === 'parts') return { fields: {}, parts: reasoning };
  if (form.unless && body[form.unless] !== true) return { fields: {}, tags: `<think>\n${reasoning}\n</think>\n\n` };
  const { field, format, signed: isSigned } = form;
  const detail = { type: 'reasoning.text', text: reasoning, format, index: 0, ...(isSigned && { signature: signatureOf(reasoning) }) };
  return { fields: { [field]: reasoning, reasoning_details: [detail] } };
}

const signatureOf = (text: string) => `sig-${Buffer.from(text).toString('base64').slice(0, 24)}`;
const thinkingPart = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
const signed = (signature: string) => ({ google: { thought_signature: signature } });

/** The deltas that carry the thinking. */
function thinkingDeltas({ thinking: form }: ChatRules, reasoning: string, { tags, parts }: Thinking): JsonObject[] {
  if (tags !== undefined) return halves(tags).map((content) => ({ content }));
  if (parts !== undefined) return halves(parts).map((text) => ({ content: [thinkingPart(text)] }));
  if (form?.kind !== 'details') return halves(reasoning).map((text) => ({ [form?.kind === 'field' ? form.field : '']: text }));
  const { field, format } = form;
  const pieces: JsonObject[] = halves(reasoning).map((text) => ({
    [field]: text,
    reasoning_details: [{ type: 'reasoning.text', text, format, index: 0 }],
  }));
  if (form.signed) pieces.push({ reasoning_details: [{ type: 'reasoning.text', signature: signatureOf(reasoning), format, index: 0 }] });
  return pieces;
}

// ---- the stream --------------------------------------------------------------------------------------------

function streamDeltas(rules: ChatRules, said: SaidHere, thinking: Thinking): JsonObject[] {
  const shown = thinking.tags !== undefined || thinking.parts !== undefined || Object.keys(thinking.fields).length > 0;
  return [
    { role: 'assistant', content: '' },
    ...(shown ? thinkingDeltas(rules, said.reasoning as string, thinking) : []),
    ...halves(said.text ?? '').map((content) => ({ content })),
    ...said.calls.flatMap((call, index) => callDeltas(rules, call, index)),
  ];
}

function callDeltas(rules: ChatRules, call: SaidHere['calls'][number], index: number): JsonObject[] {
  const { index: numbering, wholeCalls, loneSignature, lateName, laterIds } = rules.stream ?? {};
  const at: JsonObject = numbering === 'missing' ? {} : { index: numbering === 'zero' ? 0 : index };
  if (wholeCalls) {
    const { extra_content, ...whole } = wholeCall(rules, call, index);
    if (!loneSignature || !extra_content) return [{ tool_calls: [{ ...at, ...wholeCall(rules, call, index) }] }];
    const signature = { id: call.id, type: 'function', function: { arguments: '' }, extra_content };
    return [{ tool_calls: [{ ...at, ...whole }] }, { tool_calls: [{ ...at, ...signature }] }];
  }
  const [first = '', ...rest] = halves(JSON.stringify(call.arguments));
  const { id, name } = call;
  const begin = lateName
    ? [{ id, function: { arguments: '' } }, { function: { name, arguments: first } }]
    : [{ id, function: { name, arguments: first } }];
  const later: JsonObject = laterIds === 'repeated' ? { id } : laterIds === 'blank' ? { id: '' } : {};
  const pieces = [...begin, ...rest.map((text) => ({ ...later, function: { arguments: text } }))];
  return pieces.map((piece) => ({ tool_calls: [{ ...at, type: 'function', ...piece }] }));
}

function wholeCall(rules: ChatRules, { id, name, arguments: args, signature }: SaidHere['calls'][number], index: number): JsonObject {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  return rules.signs && index === 0 ? { ...call, extra_content: signed(signature) } : call;
}

function events(rules: ChatRules, wire: JsonObject, deltas: JsonObject[], finish: string, usage: JsonObject): string[] {
  const { comment, usage: at, emptyRoles } = rules.stream ?? {};
  const event = (choices: JsonObject[], more: JsonObject = {}) =>
    `data: ${JSON.stringify({ ...wire, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  const role: JsonObject = emptyRoles ? { role: '' } : {};
  const pieces = deltas.map((delta) => event([{ index: 0, delta: { ...role, ...delta }, finish_reason: null }]));
  const last = { index: 0, delta: {}, finish_reason: finish };
  if (at === 'choice') pieces.push(event([{ ...last, usage }]));
  else if (at === 'finish') pieces.push(event([last], { usage }));
  else if (at === 'x_groq') pieces.push(event([last], { x_groq: { id: 'req_1', usage } }));
  else pieces.push(event([last]), event([], { usage }));
  return [...(comment ? [`: ${comment}\n\n`] : []), ...pieces, 'data: [DONE]\n\n'];
}
