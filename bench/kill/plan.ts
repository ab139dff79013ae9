/**
 * What the killed program does: an agent with a scripted model whose tools have real side effects. Each effect is a line
 * `TOOL KEY` in the file `effects`, on the disk when the tool says so. The model looks at the prompt and not at a counter, so
 * that it goes on with its script in whatever process the run goes on.
 */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type EventStore, type Tool, type ToolContext, tool } from '../../src/index.ts';
import { type ScriptedAnswer, type ScriptedReply, scriptedModel } from '../../src/testing.ts';

/** The requests of the talk, one run each. */
export const REQUESTS = ['整理这些资料，然后把结果发出去。', 'Once more, with a helper and a server.'];
/** Tools whose repeat with the same key is declared safe. */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['put', 'index']);
/** Tools that only look; a sub-agent is one, what it does is permitted call by call. */
export const READING: ReadonlySet<string> = new Set(['look', 'ask_helper']);

const TALK = [
  [['look', 'append', 'put'], ['send'], ['build', 'index', 'append'], ['ask_helper', 'look', 'serve'], []],
  [['append', 'ask_helper'], ['index', 'look'], []],
];
const HELP = [[['append', 'put'], ['build'], []]];

export interface PlanOptions {
  store: EventStore;
  folder: string;
  /** Told when a tool that does not only look begins: its tool.start must be on the disk by then. */
  began(tool: string, key: string): void;
}

export function planAgent(options: PlanOptions): Agent {
  const { store, folder } = options;
  const shared = { store, workspace: folder, permissions: { allow: ['*'], ask: ['send'] } };
  const tools = effectTools(options);
  const helper = new Agent({ ...shared, model: scripted(HELP), tools });
  const asHelper = helper.asTool({ name: 'ask_helper', description: 'Lets the helper do a part of the work.' });
  const onApproval = async () => {
    await sleep(10);
    return true;
  };
  return new Agent({ ...shared, model: scripted(TALK), tools: [...tools, asHelper], onApproval });
}

/** The names of the tools to call, by turn of the talk and step of the turn; no names = the answer. */
function scripted(turns: readonly (readonly string[][])[]) {
  const reply: ScriptedReply = async ({ prompt }) => {
    await sleep(10);
    const turn = prompt.filter((message) => message.role === 'user').length - 1;
    const step = prompt.slice(prompt.findLastIndex((message) => message.role === 'user')).filter(({ role }) => role === 'assistant').length;
    return answer(turn, step, turns[turn]![step]!);
  };
  return scriptedModel(Array(100).fill(reply));
}

function answer(turn: number, step: number, names: readonly string[]): ScriptedAnswer {
  if (names.length === 0) return { text: `Turn ${turn + 1} is done. 第 ${turn + 1} 轮已完成，结果已经发出。` };
  const argument = (name: string) => (name === 'ask_helper' ? 'request' : 'about');
  return { calls: names.map((name, index) => ({ id: `turn${turn}_${step}_${index}`, name, arguments: { [argument(name)]: '资料' } })) };
}

function effectTools({ folder, began }: PlanOptions): Tool[] {
  const file = join(folder, 'effects');
  const leave = (name: string, { key }: ToolContext) => appendFileSync(file, `${name} ${key}\n`, { flush: true });

  function make(name: string, execute: (context: ToolContext) => unknown): Tool {
    return tool({
      name,
      description: `Does the work called ${name}.`,
      input: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
      level: READING.has(name) ? 'read' : name === 'send' ? 'dangerous' : 'write',
      idempotent: IDEMPOTENT.has(name),
      execute(_, context) {
        if (!READING.has(name)) began(name, context.key);
        return execute(context);
      },
    });
  }
  /** The effect is that of a process, in the middle of its life. */
  const byProcess = (name: string, script: string) =>
    make(name, async ({ exec, key }) => {
      const { code, stderr } = await exec(script, { env: { EFFECT: `${name} ${key}`, EFFECTS: file } });
      if (code !== 0) throw new Error(`the process ended with ${code}: ${stderr}`);
      return 'done';
    });
  const late = async (name: string, context: ToolContext) => {
    await sleep(15);
    leave(name, context);
    await sleep(15);
    return 'done';
  };
  const script = 'sleep 0.03; printf "%s\\n" "$EFFECT" >> "$EFFECTS"; sleep';
  return [
    make('look', async () => {
      await sleep(5);
      return '很长的资料。'.repeat(200);
    }),
    make('append', (context) => leave('append', context)),
    make('put', (context) => late('put', context)),
    make('send', (context) => late('send', context)),
    byProcess('build', `${script} 0.03`),
    byProcess('index', `${script} 0.03`),
    byProcess('serve', `setsid sleep 600 > /dev/null 2>&1 & ${script} 0.4`),
  ];
}
