/** One scenario against one fake endpoint: how the agent is set up, and what is looked at afterwards. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Agent, type AgentOptions, type EventData, type EventType, type RunEvent, tool } from '../../src/index.ts';
import { type Fake, fakeKey, startFake } from '../../test/fakes/server.ts';
import type { Conditions, Turn, Vendor } from '../../test/fakes/types.ts';

export interface Trial {
  vendor: Vendor;
  fake: Fake;
  /** Everything that the runs said. */
  events: RunEvent[];
  onEvent(event: RunEvent): void;
  agent: Agent;
  /** Calls that really ran, in order. */
  ran: string[];
}
export interface TrialOptions {
  script: readonly Turn[];
  conditions?: Conditions;
  agent?: Partial<AgentOptions>;
  /** Instructions of a length that a cache notices. */
  long?: true;
}

/** Waits for the first byte and between bytes, in milliseconds: far above what a loopback server takes on a busy machine. */
const shortTimeouts = { silence: 2500 };

export async function withTrial<T>(vendor: Vendor, options: TrialOptions, use: (trial: Trial) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-providers-'));
  const fake = await startFake(vendor, options.script, options.conditions);
  const ran: string[] = [];
  const events: RunEvent[] = [];
  const agent = new Agent({
    model: `${vendor.provider}:${vendor.model}`,
    env: { HERMES_MODELS: folder, ...redirected(vendor, fake, folder) },
    protocol: 'native',
    timezone: 'UTC',
    language: 'en',
    instructions: options.long ? longInstructions : 'You are a careful assistant. 请用提问的语言回答。',
    tools: options.agent?.tools ?? tools(ran),
    timeouts: shortTimeouts,
    ...options.agent,
  });
  try {
    return await use({ vendor, fake, events, onEvent: (event) => events.push(event), agent, ran });
  } finally {
    await agent.close();
    await fake.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const profiles = resolve(import.meta.dirname, '../../providers');

/** The shipped profile with another host: path, key variable and everything else stay as they are for a user. */
function redirected(vendor: Vendor, fake: Fake, folder: string): Record<string, string> {
  for (const file of readdirSync(profiles)) {
    if (!file.endsWith('.json')) continue;
    const profile = JSON.parse(readFileSync(join(profiles, file), 'utf8')) as Profile;
    const endpoint = profile.endpoints[vendor.provider];
    if (!endpoint) continue;
    const { pathname } = new URL(endpoint.base_url ?? '');
    endpoint.base_url = new URL(fake.baseURL).origin + pathname.replace(/\/$/, '');
    writeFileSync(join(folder, file), JSON.stringify(profile));
    return { HERMES_PROVIDERS: folder, ...(endpoint.keys[0] && { [endpoint.keys[0]]: fakeKey }) };
  }
  throw new Error(`no profile has an endpoint ${vendor.provider}`);
}
interface Profile {
  endpoints: Record<string, { base_url?: string; keys: string[] }>;
}

const longInstructions = Array.from(
  { length: 60 },
  (_, n) => `Rule ${n + 1}: weigh each order by its own scale, 第 ${n + 1} 条：逐单称重，不可合并。`,
).join('\n');

function tools(ran: string[]) {
  return [
    tool({
      name: 'weigh',
      description: 'Gives the weight of an order in kilograms. Use it once for each order.',
      input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      level: 'read',
      execute: ({ order }) => {
        ran.push(`weigh ${order}`);
        return { kilograms: String(order).length };
      },
    }),
    tool({
      name: 'read_log',
      description: 'Gives the log of an order: a long text.',
      input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      level: 'read',
      resultCharacters: 40_000, // whole: the request shall not fit
      execute: ({ order }) => {
        ran.push(`read_log ${order}`);
        return Array.from({ length: 400 }, (_, n) => `${n} order ${order} moved to shelf ${n * 7}`).join('\n');
      },
    }),
  ];
}

// ---- what is looked at -------------------------------------------------------------------------------------

/** The first thing that is not as it should be; undefined = all is well. */
export function firstProblem(...checks: (string | false | undefined)[]): string | undefined {
  return checks.find((check): check is string => typeof check === 'string');
}

export function expect(what: string, is: unknown, should: unknown): string | undefined {
  const [a, b] = [JSON.stringify(is), JSON.stringify(should)];
  return a === b ? undefined : `${what}: ${a ?? 'none'} instead of ${b}`;
}

/** What the endpoint would not take. */
export function refusals({ fake }: Trial): string | undefined {
  const refused = fake.exchanges.find((exchange) => exchange.refused !== undefined);
  return refused && `refused (${refused.status}): ${refused.refused}`;
}

export function dataOf<T extends EventType>({ events }: Trial, type: T): EventData[T][] {
  return events.flatMap((event) => (event.event_type === type ? [event.data as EventData[T]] : []));
}
