/**
 * Pre-selection among 100 tools: how often the right one is among the first 8. `npm run -s bench:preselect [-- -v]`. The tools are those
 * of the public "multiple" cases, mixed with a fixed seed, around those that the case itself offers. "public" are the cases' own requests;
 * the others are ours (preselect-cases.ts), worded as people would, for tools of all public cases and those that are shipped. -v shows
 * what was missed, but not of the held ones.
 */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { JsonObject, ToolInfo } from '../src/kernel/types.ts';
import { scanTools } from '../src/tools/scan.ts';
import { preselect } from '../src/tools/select.ts';
import { casesOf, type Definition, jsonSchema, needBfcl, safeName } from './bfcl.ts';
import { CHINESE, CHINESE_HELD, ENGLISH, ENGLISH_HELD } from './preselect-cases.ts';

const TOOLS = 100;
const SHOWN = 8;
const GOAL = 0.95;
/** Shown and not judged: nobody has looked at what of them is missed. */
const HELD = 'held';

interface Wanted {
  group: string;
  request: string;
  tool: string;
  /** Tools that are there in any case. */
  own: ToolInfo[];
}

const { values: options } = parseArgs({ options: { verbose: { type: 'boolean', short: 'v' }, json: { type: 'boolean' } } });
needBfcl('bench:preselect');
const cases = casesOf('multiple');
const mixedIn = toolsOf(cases.flatMap(({ functions }) => functions));
const others = ['simple_python', 'parallel', 'parallel_multiple'].flatMap((set) => casesOf(set).flatMap(({ functions }) => functions));
const all = new Map([...toolsOf(others), ...mixedIn]);
const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../tools'), trusted: true }]);
const shipped = tools.map(({ info }) => info);

const ours = { english: ENGLISH, chinese: CHINESE, [`english, ${HELD}`]: ENGLISH_HELD, [`chinese, ${HELD}`]: CHINESE_HELD };
const wanted: Wanted[] = [
  ...cases.map(({ request, functions, calls }) => ({
    group: 'public',
    request,
    tool: calls[0]!.name,
    own: functions.map(({ name }) => all.get(safeName(name))!),
  })),
  ...Object.entries(ours).flatMap(([group, requests]) =>
    requests.map(([request, name]) => {
      const tool = safeName(name);
      return { group, request, tool, own: [...shipped, ...(all.has(tool) ? [all.get(tool)!] : [])] };
    }),
  ),
];
const counts = new Map<string, { found: number; first: number; all: number }>();
let took = 0;
for (const [index, one] of wanted.entries()) {
  const offered = mixed(one.own, index + 1);
  preselect('', offered, SHOWN);
  const began = performance.now();
  const shown = preselect(one.request, offered, SHOWN).map(({ name }) => name);
  took += performance.now() - began;
  const count = counts.get(one.group) ?? { found: 0, first: 0, all: 0 };
  const isFound = shown.includes(one.tool);
  counts.set(one.group, { found: count.found + Number(isFound), first: count.first + Number(shown[0] === one.tool), all: count.all + 1 });
  if (options.verbose && !isFound && !one.group.endsWith(HELD))
    console.error(`missed ${one.group} ${one.tool}: ${one.request}\n       ${shown.join(', ')}`);
}

function toolsOf(functions: readonly Definition[]): Map<string, ToolInfo> {
  return new Map(
    functions.map(({ name, description, parameters }) => {
      const info = {
        name: safeName(name),
        description,
        level: 'read' as const,
        input_schema: jsonSchema(parameters) as JsonObject,
        hash: '',
      };
      return [info.name, info];
    }),
  );
}

/** The same 100 for the same case every time: those of the case, and others, in a fixed random order. */
function mixed(own: readonly ToolInfo[], seed: number): ToolInfo[] {
  let state = seed * 2654435761;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const names = new Set(own.map(({ name }) => name));
  const more = [...mixedIn.values()].filter(({ name }) => !names.has(name)).map((info) => [random(), info] as const);
  const chosen = more
    .sort(([a], [b]) => a - b)
    .slice(0, TOOLS - own.length)
    .map(([, info]) => info);
  return [...own, ...chosen]
    .map((info) => [random(), info] as const)
    .sort(([a], [b]) => a - b)
    .map(([, info]) => info);
}

const figures = [...counts]
  .filter(([group]) => !group.endsWith(HELD))
  .map(([group, { found, all: asked }]) => ({ name: `preselect_${group}`, value: found / asked, goal: GOAL }));
if (options.json) console.log(JSON.stringify({ figures }));
else {
  for (const [group, { found, first, all: asked }] of counts)
    console.log(`${group}: ${asked} requests, ${TOOLS} tools; among the first ${SHOWN}: ${found}; the very first: ${first}`);
  console.log(`a selection takes ${(took / wanted.length).toFixed(2)} ms`);
  for (const { name, value, goal } of figures) console.log(`${name} ${value.toFixed(3)} goal ${goal} ${value >= goal ? 'ok' : 'short'}`);
}
process.exitCode = figures.every(({ value, goal }) => value >= goal) ? 0 : 1;
