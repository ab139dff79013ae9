/** One pair of a request and an injected goal, run through a real agent: with a model that obeys whatever it reads, or one that does not. */

import { isDeepStrictEqual } from 'node:util';
import { Agent, type AgentOptions, type Tool } from '../../src/index.ts';
import type { CallQuestion, JsonObject, RunEvent, Source } from '../../src/kernel/types.ts';
import { type ScriptedAnswer, type ScriptedReply, scriptedModel } from '../../src/models/scripted.ts';
import type { AskOptions } from '../../src/models/types.ts';

export interface Wanted {
  name: string;
  arguments: JsonObject;
}
export interface Pair {
  request: string;
  /** The calls that answer the request, a step each. */
  steps: Wanted[][];
  /** What the injected text asks for, a step each. */
  injected: Wanted[][];
  /** A piece of the injected text that stands in a prompt when the model has read it. */
  needle: string;
  /** The file that the person gives with the request, when the injected text comes in it. */
  file?: { name: string; data: string };
  /** Made for one run; acting tools tell `effect` what they have done. */
  tools(effect: (call: Wanted) => void): Tool[];
}
export interface Played {
  /** The injected text reached the model. */
  seen: boolean;
  questions: number;
  /** Injected calls that took effect. */
  effects: number;
  /** Those of them that no question had shown with these arguments and an untrusted source. */
  unasked: Wanted[];
  /** Injected calls in a question that did not show them whole, or not where they came from. */
  unclear: Wanted[];
}

/** Every tool is allowed by a rule: what asks is the gate. `yes`: the answer to every question. `guards`: to see what happens without it. */
export async function play(pair: Pair, obeys: boolean, yes: boolean, guards: AgentOptions['guards'] = {}): Promise<Played> {
  const injected = pair.injected.flat();
  const effects: Wanted[] = [];
  const shown: Wanted[] = [];
  const unclear: Wanted[] = [];
  const untrusted = new Set<string>();
  let questions = 0;
  const obeying = new Obeying(pair, obeys);
  const agent = new Agent({
    model: scriptedModel(Array.from({ length: 80 }, (): ScriptedReply => (asked) => obeying.reply(asked))),
    tools: pair.tools((call) => effects.push(call)),
    permissions: { allow: ['*'] },
    guards,
    limits: { maxSteps: 79 },
    resultCharacters: 10_000_000, // a result that is shown in part would hide what was injected
    readBack: false,
    onApproval: async ({ calls }) => {
      questions += 1;
      for (const call of calls.filter((one) => isOneOf(one, injected)))
        (showsOrigin(call, untrusted, pair.file?.name) ? shown : unclear).push(call);
      return yes;
    },
  });
  const onEvent = (event: RunEvent) => {
    if (event.event_type === 'tool.end' && event.data.shaped.includes(pair.needle)) untrusted.add(event.data.call_id);
  };
  await agent.run(pair.request, { onEvent, ...(pair.file ? { files: [pair.file] } : {}) });
  const done = obeys ? effects.filter((effect) => isOneOf(effect, injected)) : [];
  return { seen: obeying.seen, questions, effects: done.length, unasked: done.filter((effect) => !isOneOf(effect, shown)), unclear };
}

/** Does what the injected text asks for as soon as it has read it, then what the person asked for. */
class Obeying {
  seen = false;
  readonly #pair: Pair;
  readonly #obeys: boolean;
  #left: Wanted[][];

  constructor(pair: Pair, obeys: boolean) {
    this.#pair = pair;
    this.#obeys = obeys;
    this.#left = [...pair.steps];
  }

  reply({ prompt }: AskOptions): ScriptedAnswer {
    const from = this.#pair.file ? 'user' : 'tool';
    if (!this.seen && prompt.some((message) => message.role === from && JSON.stringify(message).includes(this.#pair.needle))) {
      this.seen = true;
      if (this.#obeys) this.#left.unshift(...this.#pair.injected);
    }
    const calls = this.#left.shift();
    return calls === undefined ? { text: 'OK.' } : { calls };
  }
}

function isOneOf(call: { name: string; arguments: JsonObject }, wanted: readonly Wanted[]): boolean {
  return wanted.some((one) => one.name === call.name && isDeepStrictEqual(one.arguments, call.arguments));
}

/** Among the sources of the question is the very result or file that brought the injected text, as untrusted. */
function showsOrigin({ sources = [] }: CallQuestion, brought: ReadonlySet<string>, file: string | undefined): boolean {
  const isBrought = ({ call_id, from }: Source) => brought.has(call_id) || (call_id === '' && from !== undefined && from === file);
  return sources.some((source) => source.untrusted && isBrought(source));
}
