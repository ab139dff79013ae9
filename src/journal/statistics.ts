/** Figures over many runs, read from their logs (O4): how often they succeed, what they take, which tools fail and where runs get stuck. */

import type { Cost, Outcome, RunEvent, Status, Usage } from '../kernel/types.ts';

export interface Statistics {
  /** Requests of people; runs of sub-agents count only with their calls: what they used is in the figures of their callers. */
  runs: number;
  /** Those that have an outcome. */
  ended: number;
  statuses: Partial<Record<Status, number>>;
  /** Successes among the ended; absent when none has ended. */
  completion_rate?: number;
  mean_steps?: number;
  usage: Usage;
  /** One sum a currency; estimates. */
  costs: Cost[];
  /** Runs that used tokens whose price is not known. */
  unpriced_runs: number;
  tools: ToolStatistics[];
  models: { model: string; runs: number; successes: number; steps: number; usage: Usage; costs: Cost[] }[];
}
export interface ToolStatistics {
  name: string;
  calls: number;
  failures: number;
  /** Of the calls that ran; milliseconds. */
  mean_ms?: number;
  /** Runs that ended at max_steps and had called it. */
  stuck_runs: number;
  /** Calls with arguments that could not be mended, or of a name that no tool has; absent = none. */
  misused?: number;
  /** Tools that succeeded right after it had failed, most often first: what it may be confused with. Absent = none. */
  instead?: { name: string; count: number }[];
}

/** `logs`: the events of each run. */
export function statistics(logs: Iterable<readonly RunEvent[]>): Statistics {
  const sum: Statistics = { runs: 0, ended: 0, statuses: {}, usage: {}, costs: [], unpriced_runs: 0, tools: [], models: [] };
  const times = new Map<string, { ran: number; ms: number }>();
  let steps = 0;
  for (const events of logs) {
    const first = events[0];
    if (first?.event_type !== 'run.start') continue;
    const isOwn = first.parent_id === undefined;
    if (isOwn) sum.runs += 1;
    const end = events.findLast((event) => event.event_type === 'run.end');
    if (!end) continue;
    const { outcome } = end.data;
    for (const call of outcome.tool_calls) {
      const tool = entry(sum.tools, 'name', call.name, { name: call.name, calls: 0, failures: 0, stuck_runs: 0 });
      tool.calls += 1;
      if (!call.success) tool.failures += 1;
      if (call.error_code === 'invalid_arguments' || call.error_code === 'unknown_tool') tool.misused = (tool.misused ?? 0) + 1;
      if (!call.ran) continue;
      const time = times.get(call.name) ?? { ran: 0, ms: 0 };
      times.set(call.name, { ran: time.ran + 1, ms: time.ms + call.ms });
    }
    countInstead(sum.tools, outcome);
    if (outcome.status === 'max_steps')
      for (const name of new Set(outcome.tool_calls.map((call) => call.name)))
        sum.tools.find((tool) => tool.name === name)!.stuck_runs += 1;
    if (!isOwn) continue;
    sum.ended += 1;
    addUsage(sum.usage, outcome.usage);
    addCost(sum.costs, outcome.cost);
    if (isUnpriced(outcome)) sum.unpriced_runs += 1;
    sum.statuses[outcome.status] = (sum.statuses[outcome.status] ?? 0) + 1;
    steps += outcome.steps;
    const { model: name } = first.data;
    const model = entry(sum.models, 'model', name, { model: name, runs: 0, successes: 0, steps: 0, usage: {}, costs: [] });
    model.runs += 1;
    model.successes += Number(outcome.status === 'success');
    model.steps += outcome.steps;
    addUsage(model.usage, outcome.usage);
    addCost(model.costs, outcome.cost);
  }
  for (const tool of sum.tools) {
    const time = times.get(tool.name);
    if (time) tool.mean_ms = Math.round(time.ms / time.ran);
  }
  sum.tools.sort((a, b) => b.calls - a.calls);
  sum.models.sort((a, b) => b.runs - a.runs);
  if (sum.ended === 0) return sum;
  return { ...sum, completion_rate: (sum.statuses.success ?? 0) / sum.ended, mean_steps: steps / sum.ended };
}

/** A call that failed, and the next one, of another tool, that did not. */
function countInstead(tools: ToolStatistics[], { tool_calls: calls }: Outcome): void {
  for (const [at, call] of calls.entries()) {
    const next = calls[at + 1];
    if (call.success || !next?.success || next.name === call.name) continue;
    const tool = tools.find(({ name }) => name === call.name)!;
    tool.instead ??= [];
    entry(tool.instead, 'name', next.name, { name: next.name, count: 0 }).count += 1;
    tool.instead.sort((a, b) => b.count - a.count);
  }
}

function isUnpriced({ usage, cost }: Outcome): boolean {
  return Object.keys(usage).length > 0 && (cost === undefined || cost.partial === true);
}

function addUsage(sum: Usage, more: Usage): void {
  for (const key of Object.keys(more) as (keyof Usage)[]) sum[key] = (sum[key] ?? 0) + (more[key] ?? 0);
}

function addCost(sums: Cost[], cost: Cost | undefined): void {
  if (cost) entry(sums, 'currency', cost.currency, { amount: 0, currency: cost.currency }).amount += cost.amount;
}

function entry<T, K extends keyof T>(all: T[], key: K, value: T[K], fresh: T): T {
  const found = all.find((one) => one[key] === value);
  if (found) return found;
  all.push(fresh);
  return fresh;
}
