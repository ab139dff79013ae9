/** Self-healing: what is tried again by itself, what is not, and how many retries a task costs that keeps on failing. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AgentOptions } from '../../src/agent/types.ts';
import type { Call, Fact, Level, Trail } from '../../src/kernel/types.ts';
import { type ToolDefinition, tool } from '../../src/tools/define.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { type Said, told } from '../guards/story.ts';
import { acted, callOf, stage, stateWith } from './performing.ts';

const anything = { type: 'object', additionalProperties: true } as const;
type Thrown = string | { code: string; retryable?: boolean; final?: boolean };

/** Throws these errors one after another (the last stays), then gives what stands at the end. */
function failing(thrown: readonly Thrown[], more: Partial<ToolDefinition> & { value?: unknown; name?: string } = {}) {
  const { value, name = 'fetch_it', ...rest } = more;
  const runs: string[] = [];
  const made = tool({
    name,
    description: `Does ${name}.`,
    level: 'read',
    input: anything,
    execute(_args: unknown, { key }: { key: string }) {
      runs.push(key);
      const error = thrown[Math.min(runs.length, value === undefined ? thrown.length : runs.length) - 1];
      if (error === undefined) return value;
      throw Object.assign(new Error('it failed'), typeof error === 'string' ? { code: error } : error);
    },
    ...rest,
  } as ToolDefinition);
  return { tool: made, runs };
}

async function run(
  thrown: readonly Thrown[],
  more: Parameters<typeof failing>[1] & { call?: Partial<Call>; trail?: Partial<Trail>[] } = {},
) {
  const { call = {}, trail = [], ...rest } = more;
  const made = failing(thrown, rest);
  const level = (rest.level ?? 'read') as Level;
  const end = await acted({ tools: [made.tool] }, callOf('fetch_it', {}, { level, ...call }), stateWith({ trail: trail as Trail[] }));
  const notes = end.facts.filter((fact): fact is Fact<'run.note'> => fact.event_type === 'run.note');
  return { ...end, runs: made.runs, notes: notes.map(({ data }) => data) };
}

test('a call that only looks is made again after errors that pass, with the same key; each retry is told', async () => {
  const { result, tries, runs, notes } = await run(['ECONNRESET', 'busy'], { value: 'here' });
  assert.deepEqual([result, tries, runs.length, new Set(runs).size], [{ success: true, data: 'here' }, 3, 3, 1]);
  assert.deepEqual(
    notes.map(({ code, call_id }) => [code, call_id]),
    [
      ['retry', 'call-fetch_it'],
      ['retry', 'call-fetch_it'],
    ],
  );
  assert.match(notes[0]!.message, /^fetch_it: it failed\. Trying again in 0\.25 s\.$/);
  const never = await run(['rate_limited']);
  assert.deepEqual([never.runs.length, never.tries], [3, 3]);
  assert.deepEqual(never.result, { success: false, error: { code: 'rate_limited', message: 'it failed (tried 3 times)' } });
  const cause = failing([], { value: 1 });
  const wrapped = tool({
    name: 'wrapped',
    description: 'Wraps.',
    level: 'read',
    input: anything,
    execute: () => {
      if (cause.runs.push('') === 1)
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
      return 'ok';
    },
  });
  assert.equal((await acted({ tools: [wrapped] }, callOf('wrapped', {}, { level: 'read' }))).tries, 2);
});

test('what clients of the web throw has a code, and is made again where that helps', async () => {
  const cases: [thrown: object, code: string, runs: number][] = [
    [{ status: 503 }, 'http_503', 3],
    [{ statusCode: 429 }, 'http_429', 3],
    [{ response: { status: 502 } }, 'http_502', 3],
    [{ code: 429 }, 'http_429', 3],
    [{ status: 404 }, 'http_404', 1],
    [{ code: 'E_OWN', status: 503 }, 'E_OWN', 1],
    [{ name: 'TimeoutError' }, 'timeout', 2],
    [{ code: 42 }, 'tool_failed', 1],
  ];
  for (const [thrown, code, runs] of cases) {
    const end = await run([thrown as Thrown]);
    assert.deepEqual([!end.result.success && end.result.error.code, end.runs.length], [code, runs], JSON.stringify(thrown));
  }
});

test('plain functions in threads: the same', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-retry-'));
  t.after(() => rm(folder, { recursive: true }));
  const body = (error: string) => `let runs = 0;
/** Looks. @level read */
export default function NAME() { if (++runs < 3) throw Object.assign(new Error('no'), ${error}); return runs; }`;
  const errors = {
    passes: '{ code: "ECONNRESET" }',
    says_so: '{ code: "odd", retryable: true }',
    stands: '{ code: "odd" }',
    ends: '{ code: "busy", final: true }',
  };
  for (const [name, error] of Object.entries(errors)) await writeFile(join(folder, `${name}.mjs`), body(error).replace('NAME', name));
  const { tools } = await scanTools([folder]);
  const got: Record<string, unknown> = {};
  for (const name of Object.keys(errors)) {
    const { result, tries = 1 } = await acted({ tools }, callOf(name, {}, { level: 'read' }));
    got[name] = result.success ? [result.data, tries] : [result.error.code, result.error.final === true, tries];
  }
  assert.deepEqual(got, { passes: [3, 3], says_so: [3, 3], stands: ['odd', false, 1], ends: ['busy', true, 1] });
});

test('what may have done something is not repeated, unless it is idempotent or names the code', async () => {
  const times = async (more: Parameters<typeof run>[1], code: Thrown = 'ECONNRESET') => (await run([code], more)).runs.length;
  assert.equal(await times({ level: 'dangerous' }), 1);
  assert.equal(await times({ level: 'dangerous' }, { code: 'x', retryable: true }), 1);
  assert.equal(await times({ level: 'write', idempotent: true }), 3);
  assert.equal(await times({ level: 'dangerous', retry: { codes: ['not_connected'] } }, 'not_connected'), 3);
  assert.equal(await times({ level: 'dangerous', retry: { codes: ['not_connected'] } }), 1);
});

test('other errors stand at once; a time-out is tried once more; the tool says how often', async () => {
  const times = async (code: Thrown, more: Parameters<typeof run>[1] = {}) => (await run([code], more)).runs.length;
  assert.equal(await times('not_found'), 1);
  assert.equal(await times('tool_failed'), 1);
  assert.equal(await times('ETIMEDOUT'), 2);
  assert.equal(await times({ code: 'odd', retryable: true }), 3);
  assert.equal(await times({ code: 'busy', final: true }), 1);
  assert.equal(await times('busy', { retry: { times: 0 } }), 1);
  assert.equal(await times('mine', { retry: { times: 1, codes: ['mine'] } }), 2);
});

test('all tries together stay within the time limit; an abort ends the waiting', async () => {
  const short = await run(['busy'], { timeoutMs: 400 });
  assert.equal(short.runs.length, 2);
  assert.ok(short.ms < 2_000);
  const on = stage();
  const made = failing(['busy']);
  const acting = acted({ tools: [made.tool] }, callOf('fetch_it', {}, { level: 'read' }), stateWith(), on);
  setTimeout(() => on.controller.abort(), 50);
  const { result } = await acting;
  assert.deepEqual([made.runs.length, result.success], [1, false]);
});

test('a tool that has just failed in spite of retries is not waited for again', async () => {
  const trail = [{ name: 'fetch_it', success: false, error_code: 'busy' }];
  assert.equal((await run(['busy'], { trail })).runs.length, 1);
  assert.equal((await run(['busy'], { trail: [...trail, { name: 'fetch_it', success: true }] })).runs.length, 3);
  assert.equal((await run(['busy'], { trail: [{ name: 'other', success: false, error_code: 'busy' }] })).runs.length, 3);
});

test('a fatal code, or an error that calls itself final, closes the tool at once; the similar ones are named', async () => {
  const search = failing([{ code: 'no_credit' }], {
    name: 'web_search',
    description: 'Searches the web for pages.',
    fatalCodes: ['no_credit'],
  });
  const other = tool({
    name: 'news_search',
    description: 'Searches the web for news.',
    level: 'read',
    input: anything,
    execute: () => 'x',
  });
  const said: Said[] = [['web_search', { q: 'a' }], ['news_search', { q: 'a' }], ['web_search', { q: 'b' }], 'done'];
  const { messages, refused } = await told('查一下', said, { tools: [search.tool, other] });
  assert.deepEqual([search.runs.length, refused], [1, ['web_search:tool_failures']]);
  assert.match(messages[0]!, /no_credit.*已关闭.*news_search/);
  const final = failing([{ code: 'gone', final: true }], { name: 'web_search' });
  const ended = await told('Look', [['web_search', { q: 'a' }], ['web_search', { q: 'b' }], 'done'], { tools: [final.tool] });
  assert.deepEqual([final.runs.length, ended.refused.length], [1, 1]);
  assert.match(ended.messages[0]!, /no further call can mend \(gone\)/);
});

// ---- the figure ------------------------------------------------------------------------------------------

/** Errors as tools of this kind fail, with how the model repeats itself: the same arguments, or others each time. */
const TASKS: readonly (readonly [zh: string, en: string, tool: string, error: Thrown])[] = [
  ['查一下订单 A0001', 'Where is order A0001?', 'order_status', 'not_found'],
  ['上海明天天气', 'Weather in Oslo tomorrow', 'weather', 'http_500'],
  ['打开这个网页', 'Open this page', 'web_fetch', 'host_not_found'],
  ['搜索新闻', 'Search the news', 'web_search', 'rate_limited'],
  ['读一下数据库', 'Query the database', 'sql_query', 'syntax_error'],
  ['数据库里有几行', 'Count the rows', 'sql_count', 'SQLITE_BUSY'],
  ['看看日历', 'Look into the calendar', 'calendar', 'not_authorised'],
  ['查快递', 'Track the parcel', 'parcel', 'tool_failed'],
  ['换算汇率', 'Convert the currency', 'exchange', 'ECONNREFUSED'],
  ['列出文件', 'List the files', 'list', 'ENOENT'],
  ['读取配置', 'Read the settings', 'read', 'EACCES'],
  ['查股价', 'Price of the share', 'stock', 'bad_symbol'],
  ['找餐馆', 'Find a restaurant', 'places', 'no_results'],
  ['算路线', 'Plan the route', 'route', 'ETIMEDOUT'],
  ['翻译这句话', 'Translate this', 'translate', 'quota'],
  ['查航班', 'Find a flight', 'flights', 'tool_failed'],
  ['查库存', 'Check the stock', 'inventory', 'ERR_HTTP'],
  ['识别图片', 'Read the picture', 'ocr', 'bad_image'],
  ['查余额', 'Check the balance', 'balance', { code: 'locked_out', final: true }],
  ['查课表', 'Look up the lessons', 'lessons', 'tool_failed'],
  ['查电影', 'Find a film', 'films', 'not_found'],
];

async function retriesOf(request: string, name: string, error: Thrown, calls: number, options: AgentOptions): Promise<number> {
  const made = failing([error], { name, ...(options.guards?.toolFailures === 0 ? { retry: { times: 0 } } : {}) });
  const said: Said[] = Array.from({ length: calls }, (_, n) => [name, { q: n % 2 ? request : `${request} ${n}` }]);
  await told(request, [...said, '抱歉 / sorry'], { tools: [made.tool], ...options });
  return made.runs.length - 1;
}

test('a failing task costs at most 1.8 retries in the mean', async (t) => {
  const off = { guards: { toolFailures: 0, loopCalls: 0 } };
  const counts = { on: [] as number[], off: [] as number[] };
  const tasks = TASKS.flatMap(([zh, en, name, error], index) =>
    [zh, en].map((request) => ({ request, name, error, calls: 5 + (index % 2) })),
  );
  await Promise.all(
    tasks.map(async ({ request, name, error, calls }) => {
      counts.on.push(await retriesOf(request, name, error, calls, {}));
      counts.off.push(await retriesOf(request, name, error, calls, off));
    }),
  );
  const mean = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  t.diagnostic(
    `${counts.on.length} failing tasks: ${mean(counts.on).toFixed(2)} retries in the mean, ${mean(counts.off).toFixed(2)} without rails`,
  );
  assert.ok(counts.on.length >= 40 && mean(counts.on) <= 1.8, `${mean(counts.on)}`);
  assert.ok(mean(counts.off) > 4);
});
