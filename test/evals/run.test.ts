/** Running cases: what a real agent does with scripted tools and people, what a result holds, what figures say. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCases } from '../../src/evals/read-file.ts';
import { type Contestant, runCases } from '../../src/evals/run.ts';
import { compare, summarise } from '../../src/evals/summary.ts';
import type { CaseResult } from '../../src/evals/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';

const folder = await mkdtemp(join(tmpdir(), 'hermes-evals-'));
after(() => rm(folder, { recursive: true, force: true }));

const TOOLS = `
  [tool.stock]
  description = "Gives the stock of an article."
  input = { article = "string" }
  result = { pieces = 37 }
  [tool.notify]
  description = "Sends a notice."
  level = "dangerous"
  input = { text = "string" }
  result = true
`;
const SCRIPT: Contestant = { name: 'script' };

async function run(toml: string, contestant = SCRIPT, repeat = 1): Promise<CaseResult[]> {
  const file = join(folder, 'own.toml');
  await writeFile(file, TOOLS + toml);
  return runCases(await readCases([file], []), { contestants: [contestant], tools: [], repeat });
}

test('a case that goes another way fails, with the path that was expected and the one that was gone', async () => {
  const [result] = await run(`
    [[case]]
    name = "wrong"
    request = "How many lamps?"
    tools = ["stock", "notify"]
    script = [{ tool = "stock", arguments = { article = "lamp" } }, "There are 37."]
  `);
  assert.deepEqual(result!.problems, ['path: expected stock -> notify, got stock']);
  assert.deepEqual([result!.passed, result!.paths, result!.answers, result!.steps], [false, [['stock']], ['There are 37.'], 2]);
});

test('results by arguments, in sequence, as failures; the last of a sequence stays', async () => {
  const [result] = await run(`
    [[case]]
    name = "results"
    [case.tool.stock]
    sequence = [{ fails = "busy", code = "busy" }, { result = { pieces = 2 } }]
    [[case.tool.stock.when]]
    arguments = { article = "/chair/" }
    result = { pieces = 9 }
    [[case.turn]]
    request = "?"
    tools = ["stock!", "stock", "stock", "stock"]
    script = [
      { tool = "stock", arguments = { article = "lamp" } },
      { tool = "stock", arguments = { article = "lamp" } },
      { tool = "stock", arguments = { article = "lamp" } },
      { tool = "stock", arguments = { article = "arm chair" } },
      "done",
    ]
  `);
  assert.deepEqual([result!.passed, result!.problems, result!.failed_calls, result!.steps], [true, [], 1, 5]);
});

test('people answer as the case says; without them the run waits; what they were asked is judged', async () => {
  const script = 'script = [{ tool = "notify", arguments = { text = "x" } }, "done"]';
  const one = (name: string, rest: string) => `[[case]]\nname = "${name}"\nrequest = "?"\n${rest}\n${script}\n`;
  const results = await run(
    one('yes', 'approve = true\ntools = ["notify"]\nasks = ["notify"]') +
      one('no', 'approve = false\ntools = ["notify!"]\nasks = ["notify"]') +
      one('this one', 'approve = ["notify"]\ntools = ["notify"]') +
      one('nobody', 'outcome = "waiting_for_approval"\ntools = "none"\nasks = ["notify"]') +
      one('allowed', 'permissions = { allow = ["notify"] }\ntools = ["notify"]\nasks = []') +
      one('not asked', 'permissions = { allow = ["notify"] }\ntools = ["notify"]\nasks = ["notify"]'),
  );
  assert.deepEqual(
    results.map(({ case: name, problems }) => `${name}: ${problems.join('; ')}`),
    ['yes: ', 'no: ', 'this one: ', 'nobody: ', 'allowed: ', 'not asked: asks: expected notify, got none'],
  );
});

test('only what is offered is there; instructions and files reach the run; nothing of the workspace is left', async () => {
  const model = scriptedModel(['ok']);
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('hermes-eval-')).length;
  const [result] = await run(
    `
    [[case]]
    name = "offer"
    request = "?"
    offer = ["st*"]
    instructions = "You are a clerk."
    files = { "a/b.txt" = "x" }
    files_after = { "a/b.txt" = "x" }
    tools = "none"
  `,
    { name: 'model', model },
  );
  assert.deepEqual(result!.problems, []);
  assert.deepEqual(
    model.calls[0]!.tools?.map(({ name }) => name),
    ['stock'],
  );
  assert.match(JSON.stringify(model.calls[0]!.prompt[0]), /You are a clerk/);
  assert.ok((await readdir(tmpdir())).filter((name) => name.startsWith('hermes-eval-')).length <= before);
});

test('a model serves all cases and is not closed by them; a case without a script says so', async () => {
  let closed = 0;
  const model = { ...scriptedModel(['yes', 'no']), close: async () => void closed++ };
  const one = (name: string) => `[[case]]\nname = "${name}"\nrequest = "?"\ntools = "none"\nanswer.contains = "yes"\n`;
  const results = await run(one('a') + one('b'), { name: 'model', model });
  assert.deepEqual([results.map(({ passed }) => passed), closed], [[true, false], 0]);
  const [scriptless] = await run(one('a'));
  assert.match(scriptless!.problems[0]!, /script_exhausted/);
});

test('an abort ends the evaluation; attempts that were cut short are no results', async () => {
  const file = join(folder, 'own.toml');
  await writeFile(
    file,
    `${TOOLS}\n[[case]]\nname = "slow"\nrequest = "?"\ntools = "any"\ntool.stock = { result = 1, delay_seconds = 30 }\nscript = [{ tool = "stock", arguments = { article = "x" } }, "y"]`,
  );
  const stopping = new AbortController();
  const running = runCases(await readCases([file], []), { contestants: [SCRIPT], tools: [], repeat: 3, signal: stopping.signal });
  setTimeout(() => stopping.abort(), 100);
  assert.deepEqual(await running, []);
});

test('figures: flaky cases, unknown tokens and costs, several currencies', () => {
  const result = (more: Partial<CaseResult>): CaseResult => ({
    ...{ case: 'a', file: 'f', model: 'm', protocol: 'native', attempt: 1, passed: true, problems: [], paths: [], answers: [] },
    ...{ steps: 2, seconds: 1, failed_calls: 0 },
    ...more,
  });
  const results = [
    result({ tokens: 100, cost: { amount: 0.25, currency: 'USD' } }),
    result({ attempt: 2, passed: false, steps: 4, failed_calls: 3 }),
    result({ case: 'b', tokens: 200, cost: { amount: 1, currency: 'CNY' } }),
    result({ case: 'c', passed: false, cost: { amount: 0.5, currency: 'USD' } }),
  ];
  assert.deepEqual(summarise(results), [
    {
      ...{ model: 'm', passed: 2, total: 4, flaky: 1, steps: 2.5, seconds: 1, tokens: 150, tokens_unknown: 2 },
      ...{ cost: { USD: 0.75, CNY: 1 }, cost_unknown: 1, failed_calls: 3 },
    },
  ]);
  const later = [result({ passed: true }), result({ case: 'b', passed: false }), result({ case: 'd' })].map((one) => ({
    ...one,
    model: 'm2',
  }));
  assert.deepEqual(
    compare(results, later).map(({ case: name, change }) => `${name} ${change}`),
    ['a better', 'b worse', 'd new', 'c gone'],
    'one model before and one now are compared whatever they are called',
  );
  assert.deepEqual(compare(results, results), []);
});
