/**
 * The aids that a model gets with its tools, and what is left of them in each arm of the measurement. An arm is a protocol with some
 * aids taken away, and what is done with the call that it reads. Models other than tiny ones have no rails: those arms are not theirs.
 */

import type { JsonObject, Reply, State, ToolInfo } from '../../src/kernel/types.ts';
import { createGuided } from '../../src/protocols/guided/guided.ts';
import { createJson } from '../../src/protocols/json.ts';
import { createNative } from '../../src/protocols/native.ts';
import { createReact } from '../../src/protocols/react.ts';
import { Templates } from '../../src/protocols/templates.ts';
import type { Protocol } from '../../src/protocols/types.ts';
import { resolveArgument } from '../../src/tools/resolve.ts';
import { preselect, selectTools } from '../../src/tools/select.ts';

export interface Aids {
  /** Which tools fit is found without the model. */
  selection: boolean;
  /** The tools' own example requests are shown, and searched by the selection. */
  examples: boolean;
  /** Descriptions say when a tool is not for. */
  whenNot: boolean;
  /** The argument adapter mends what does not fit the schema. */
  adapter: boolean;
  /** Values are copied from the request or found by resolvers. */
  copying: boolean;
  /** The line protocol; without it the model writes JSON. */
  lines: boolean;
  /** JSON is held by a grammar, or the endpoint's own way. */
  grammar: boolean;
  /** Broken JSON is read all the same. */
  repair: boolean;
  /** Off: as if the model had said nothing. */
  model: boolean;
}

const ALL: Aids = {
  selection: true,
  examples: true,
  whenNot: true,
  adapter: true,
  copying: true,
  lines: true,
  grammar: true,
  repair: true,
  model: true,
};
const NONE: Aids = {
  selection: false,
  examples: false,
  whenNot: false,
  adapter: false,
  copying: false,
  lines: false,
  grammar: false,
  repair: false,
  model: true,
};

/** Grammar and repair have work only where there is JSON, so they are taken from an arm that has lost the lines already. */
export const ARMS: Readonly<Record<string, Aids>> = {
  on: ALL,
  no_selection: { ...ALL, selection: false },
  no_examples: { ...ALL, examples: false },
  no_when_not: { ...ALL, whenNot: false },
  no_adapter: { ...ALL, adapter: false },
  no_copying: { ...ALL, copying: false },
  no_lines: { ...ALL, lines: false },
  no_grammar: { ...ALL, lines: false, grammar: false },
  no_repair: { ...ALL, lines: false, grammar: false, repair: false },
  no_model: { ...ALL, model: false },
  off: NONE,
};

/** Tools that are shown to a model without rails. */
const SHOWN = 8;

export function protocolOf(name: string, aids: Aids): Protocol {
  const templates = new Templates();
  if (name === 'guided' && aids.lines) return guided(aids);
  if (name === 'guided') return withRails(createJson(templates), aids);
  const own = name === 'native' ? createNative(templates) : name === 'react' ? createReact(templates) : createJson(templates);
  return aids.selection ? withSelection(own) : own;
}

function guided(aids: Aids): Protocol {
  return createGuided({
    select: aids.selection
      ? selectTools
      : (_, tools) => tools.map((tool) => ({ tool, score: tool.description === '' ? 0 : 1, matches: 2 })),
    resolve: aids.copying ? resolveArgument : () => undefined,
    ...(aids.copying ? {} : { fill: verbatim }),
  });
}

type Fill = NonNullable<Parameters<typeof createGuided>[0]['fill']>;

/** What the model wrote, unlooked at. */
const verbatim: Fill = (tool, written) => {
  const names = Object.keys(tool.input_schema.properties ?? {}).filter((name) => written[name] !== undefined);
  return { arguments: Object.fromEntries(names.map((name) => [name, written[name]!])), repairs: [], missing: [] };
};

function withSelection(protocol: Protocol): Protocol {
  const chosen = (state: State, tools: readonly ToolInfo[]) => preselect(requestOf(state), tools, SHOWN);
  return {
    ...protocol,
    render: (state, tools) => protocol.render(state, chosen(state, tools)),
    read: (reply, state, tools) => protocol.read(reply, state, chosen(state, tools)),
  };
}

/** The model writes JSON, and what it wrote is then looked at by the rails: as lines of the tool that it named. */
function withRails(json: Protocol, aids: Aids): Protocol {
  const asked = aids.selection ? withSelection(json) : json;
  const rails = guided(aids);
  return {
    name: 'json',
    render: asked.render,
    async read(reply, state, tools) {
      const reading = await asked.read(reply, state, tools);
      const [call] = reading.calls;
      if (!aids.copying) return reading;
      const said: Reply = { ...reply, calls: [], text: call ? lines(call.name, call.arguments) : '' };
      return rails.read(said, state, tools);
    },
  };
}

function lines(name: string, args: JsonObject): string {
  return [name, ...Object.entries(args).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)].join(
    '\n',
  );
}

function requestOf(state: State): string {
  return state.messages.findLast(({ role }) => role === 'user')?.content ?? '';
}
