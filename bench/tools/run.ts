/** One request in one arm: asked, read, prepared, and judged. */

import type { Call, Fact, Performing, Reply, State } from '../../src/kernel/types.ts';
import type { AskOptions } from '../../src/models/types.ts';
import type { Protocol } from '../../src/protocols/types.ts';
import type { Tool } from '../../src/tools/define.ts';
import { createPrepare } from '../../src/tools/prepare.ts';
import { withoutWhenNot } from '../../src/tools/select.ts';
import { compileValidator, inspect } from '../../src/tools/validate.ts';
import { begin } from '../states.ts';
import type { Aids } from './arms.ts';
import { isRight, type ToolCase } from './cases.ts';

/** Each grade holds those before it, except that a call may be valid and of the wrong tool. */
export interface Grade {
  called: boolean;
  /** It passes the schema of the tool that it names. */
  valid: boolean;
  tool: boolean;
  full: boolean;
  /** What came of it, for people. */
  told: string;
}
export type AskModel = (request: AskOptions) => Promise<Reply>;

/** Enough for a call; tiny models find no end by themselves. */
const MOST_TOKENS = 120;
const SILENCE: Reply = { text: '', calls: [], finish: 'stop' };

export async function gradeCase(one: ToolCase, protocol: Protocol, aids: Aids, ask: AskModel): Promise<Grade> {
  const infos = one.tools.map(({ info: { examples, ...info } }) => ({
    ...info,
    ...(aids.examples && examples ? { examples } : {}),
    ...(aids.whenNot ? {} : { description: withoutWhenNot(info.description) }),
  }));
  const state = begin(one.request, protocol.name);
  const reply = aids.model ? await ask(requestOf(protocol, state, infos, aids)) : SILENCE;
  if (!aids.repair && reply.calls.length === 0 && !isJson(reply.text)) return { ...NO_CALL, told: `no JSON: ${reply.text}` };
  const reading = await protocol.read(reply, state, infos);
  const [call] = reading.calls;
  if (!call) return { ...NO_CALL, told: `no call: ${reading.text} <- ${reply.text}` };
  const prepared = await prepare({ ...call, status: 'proposed' } as Call, one.tools, aids, state);
  const isTool = prepared.name === one.wanted;
  const { args } = prepared;
  const full = isTool && args !== undefined && isRight(args, one.answer);
  return { called: true, valid: args !== undefined, tool: isTool, full, told: `${prepared.name} ${prepared.told} <- ${reply.text}` };
}

const NO_CALL = { called: false, valid: false, tool: false, full: false };

function requestOf(protocol: Protocol, state: State, infos: ToolCase['tools'][number]['info'][], aids: Aids): AskOptions {
  const room = protocol.name === 'native' ? {} : { maxOutputTokens: MOST_TOKENS };
  const { responseFormat, ...request } = { ...room, ...protocol.render(state, infos), temperature: 0 };
  return responseFormat && aids.grammar ? { ...request, responseFormat } : request;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // that is what was asked
  }
}

/** By the program's own stages, or, without the adapter, as the call stands. */
async function prepare(call: Call, tools: readonly Tool[], aids: Aids, state: State) {
  const named = new Map(tools.map((tool) => [tool.info.name, tool]));
  if (!aids.adapter) {
    const tool = named.get(call.name);
    const problems = tool
      ? await (await compileValidator(tool.info.input_schema))(call.arguments, inspect(call.arguments).size)
      : [`no tool ${call.name}`];
    return {
      name: call.name,
      args: problems.length > 0 ? undefined : call.arguments,
      told: problems.join('; ') || JSON.stringify(call.arguments),
    };
  }
  const facts: Fact[] = [];
  const performing = { emit: async (...more: Fact[]) => void facts.push(...more) } as Performing;
  await createPrepare({ tools: named, workspace: '' })(state, [call], performing);
  const [fact] = facts;
  if (fact?.event_type === 'call.prepare')
    return { name: fact.data.name, args: fact.data.arguments, told: JSON.stringify(fact.data.arguments) };
  return { name: call.name, args: undefined, told: fact?.event_type === 'call.reject' ? fact.data.message : '' };
}
