/** Runs cases: each attempt has an agent, tools and a workspace of its own, and goes the way of any other request. */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Agent } from '../agent/agent.ts';
import type { Session } from '../agent/session.ts';
import type { AgentOptions, Approver, ProtocolName, RunOutcome } from '../agent/types.ts';
import type { Cost } from '../kernel/types.ts';
import { scriptedModel } from '../models/scripted.ts';
import type { ChatModel } from '../models/types.ts';
import type { Tool } from '../tools/define.ts';
import { judge, tokensOf } from './judge.ts';
import { nameOf } from './path.ts';
import { SCRIPTED_PROTOCOLS, type ScriptedProtocol, scriptedReplies } from './script.ts';
import { scriptedTool } from './tools.ts';
import type { CaseResult, EvalCase, Happened, Turn } from './types.ts';

/** Who is judged: a model, or (without one) the scripts of the cases. */
export interface Contestant {
  name: string;
  model?: ChatModel;
  protocol?: ProtocolName;
  /** Temperature, limits, prices ... as the configuration has them. */
  settings?: AgentOptions;
}
export interface EvalOptions {
  contestants: readonly Contestant[];
  /** Tools of the agent besides a case's own, which take the place of those of the same name. */
  tools: readonly Tool[];
  /** Attempts at each case; default 1. */
  repeat?: number;
  /** Attempts at the same time; default 1, so that times are those of a model that has one thing to do. */
  parallel?: number;
  signal?: AbortSignal;
  onResult?(result: CaseResult, done: number, total: number): void;
}

/** Results in the order contestant, case, attempt. After an abort: those that had ended. */
export async function runCases(cases: readonly EvalCase[], options: EvalOptions): Promise<CaseResult[]> {
  const { contestants, tools, repeat = 1, parallel = 1, signal, onResult } = options;
  const attempts = contestants.flatMap((contestant) =>
    cases.flatMap((evalCase) => Array.from({ length: repeat }, (_, index) => ({ contestant, evalCase, attempt: index + 1 }))),
  );
  const results: (CaseResult | undefined)[] = attempts.map(() => undefined);
  let next = 0;
  let done = 0;
  async function work(): Promise<void> {
    while (next < attempts.length && !signal?.aborted) {
      const index = next++;
      const { contestant, evalCase, attempt } = attempts[index]!;
      const result = await runCase(evalCase, contestant, tools, attempt, signal);
      if (signal?.aborted) return; // cut short: says nothing about the model
      results[index] = result;
      onResult?.(result, ++done, attempts.length);
    }
  }
  await Promise.all(Array.from({ length: parallel }, work));
  return results.filter((result) => result !== undefined);
}

export async function runCase(
  evalCase: EvalCase,
  contestant: Contestant,
  tools: readonly Tool[] = [],
  attempt = 1,
  signal?: AbortSignal,
): Promise<CaseResult> {
  const workspace = await mkdtemp(join(tmpdir(), 'hermes-eval-'));
  const asked: string[] = [];
  const agent = new Agent({ ...agentOptions(evalCase, contestant, tools), workspace, ...approver(evalCase, asked) });
  try {
    await fill(workspace, evalCase.files);
    const session = agent.session();
    const turns: Taken[] = [];
    for (const turn of evalCase.turns) {
      if (signal?.aborted) break;
      asked.length = 0;
      turns.push(await take(session, turn, workspace, asked, signal));
    }
    return result(evalCase, contestant, attempt, turns);
  } finally {
    await agent.close();
    await rm(workspace, { recursive: true, force: true });
  }
}

function agentOptions(evalCase: EvalCase, { model, protocol, settings }: Contestant, tools: readonly Tool[]): AgentOptions {
  const own = Object.entries(evalCase.tools).map(([name, scripted]) => scriptedTool(name, scripted));
  const others = tools.filter(({ info }) => !Object.hasOwn(evalCase.tools, info.name));
  const { permissions, offer, instructions } = evalCase;
  return {
    ...settings,
    model: model ? lent(model) : fromScript(evalCase, protocol),
    protocol: model ? (protocol ?? 'auto') : scripted(protocol),
    tools: [...own, ...others],
    permissions: { ...permissions, ...(offer ? { whiteList: offer } : {}) },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** An agent closes its model; this one serves the next case, too. */
function lent({ close: _owners, ...model }: ChatModel): ChatModel {
  return model;
}

function fromScript({ turns }: EvalCase, protocol: ProtocolName | undefined): ChatModel {
  const steps = turns.flatMap(({ script }) => script);
  return scriptedModel(scriptedReplies(steps, scripted(protocol)));
}

function scripted(protocol: ProtocolName | undefined): ScriptedProtocol {
  return SCRIPTED_PROTOCOLS.find((one) => one === protocol) ?? 'native';
}

/** Answers as the case says, and keeps what was asked. Without an answer in the case there is nobody, and the run waits. */
function approver({ approve }: EvalCase, asked: string[]): { onApproval?: Approver } {
  if (approve === undefined) return {};
  const agrees = (name: string) => (typeof approve === 'boolean' ? approve : approve.includes(name));
  return {
    onApproval: async ({ calls }) => {
      asked.push(...calls.map(({ name }) => name));
      return calls.every(({ name }) => agrees(name));
    },
  };
}

/** A request that has had its outcome. */
interface Taken {
  turn: Turn;
  outcome: RunOutcome;
  happened: Happened;
}

async function take(session: Session, turn: Turn, workspace: string, asked: string[], signal: AbortSignal | undefined): Promise<Taken> {
  const began = performance.now();
  const output = turn.output_schema;
  const outcome = await session.run(turn.request, { ...(signal ? { signal } : {}), ...(output ? { output } : {}) });
  const seconds = (performance.now() - began) / 1000;
  asked.push(...(outcome.approvals ?? []).flatMap(({ calls }) => calls.map(({ name }) => name)));
  const files = await read(workspace, Object.keys(turn.files ?? {}));
  return { turn, outcome, happened: { outcome: outcome as Happened['outcome'], asked: [...asked], files, seconds } };
}

function result(evalCase: EvalCase, { name }: Contestant, attempt: number, turns: readonly Taken[]): CaseResult {
  const problems = turns.flatMap(({ turn, happened }, index) =>
    judge(turn, happened).map((problem) => (evalCase.turns.length > 1 ? `request ${index + 1}: ${problem}` : problem)),
  );
  const outcomes = turns.map(({ outcome }) => outcome);
  const calls = outcomes.map(({ toolCalls }) => toolCalls);
  const tokens = sum(outcomes.map(({ usage }) => tokensOf(usage)));
  const cost = costOf(outcomes);
  return {
    case: evalCase.name,
    file: evalCase.file,
    model: name,
    protocol: outcomes[0]?.protocol ?? '',
    attempt,
    passed: problems.length === 0,
    problems,
    paths: calls.map((made) => made.map(nameOf)),
    answers: outcomes.map(({ answer }) => answer),
    steps: outcomes.reduce((all, { steps }) => all + steps, 0),
    ...(tokens === undefined ? {} : { tokens }),
    ...(cost === undefined ? {} : { cost }),
    seconds: turns.reduce((all, { happened }) => all + happened.seconds, 0),
    failed_calls: calls.flat().filter(({ success }) => !success).length,
  };
}

/** A sum with an unknown part is unknown. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  return values.every((value) => value !== undefined) ? values.reduce((all, value) => all + value, 0) : undefined;
}

/** Of all requests in one currency; with one whose cost is not known the whole is not known. */
function costOf(outcomes: readonly RunOutcome[]): Cost | undefined {
  const costs = outcomes.map(({ cost }) => cost).filter((cost) => cost !== undefined);
  const [first] = costs;
  if (!first || costs.length < outcomes.length || costs.some(({ currency, partial }) => partial || currency !== first.currency))
    return undefined;
  return { amount: costs.reduce((sum, { amount }) => sum + amount, 0), currency: first.currency };
}

async function fill(workspace: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function read(workspace: string, paths: readonly string[]): Promise<Record<string, string>> {
  const found = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(workspace, path), 'utf8').catch(() => undefined)] as const),
  );
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
