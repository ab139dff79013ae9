import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../src/kernel/types.ts';
import { compileValidator, inspect } from '../../src/tools/validate.ts';

async function problems(properties: JsonObject, args: JsonObject, more: JsonObject = {}): Promise<string[]> {
  const validate = await compileValidator({ type: 'object', properties, ...more });
  return validate(args, inspect(args).size);
}

test('an error names the field, what was expected and what came', async () => {
  const cases: [JsonObject, JsonObject, string][] = [
    [{ count: { type: 'integer', minimum: 1 } }, { count: 'abc' }, 'arguments.count: expected integer >= 1, got "abc" (string)'],
    [{ count: { type: 'integer', minimum: 1, maximum: 5 } }, { count: 9 }, 'arguments.count: expected integer from 1 to 5, got 9'],
    [{ n: { type: 'number', exclusiveMinimum: 0 } }, { n: 0 }, 'arguments.n: expected number > 0, got 0'],
    [{ n: { type: 'number', multipleOf: 0.5 } }, { n: 0.2 }, 'arguments.n: expected number in steps of 0.5, got 0.2'],
    [{ unit: { enum: ['cm', 'm'] } }, { unit: '英里' }, 'arguments.unit: expected one of "cm", "m", got "英里" (string)'],
    [{ v: { const: 2 } }, { v: 1 }, 'arguments.v: expected 2, got 1'],
    [{ s: { type: 'string', minLength: 2 } }, { s: '' }, 'arguments.s: expected string with >= 2 characters, got "" (string)'],
    [{ s: { type: 'string', pattern: '^a+$' } }, { s: 'b' }, 'arguments.s: expected string that matches ^a+$, got "b" (string)'],
    [{ at: { type: 'string', format: 'date' } }, { at: '1/2' }, 'arguments.at: expected string (date), got "1/2" (string)'],
    [{ l: { type: 'array', items: { type: 'integer' } } }, { l: [1, 'x'] }, 'arguments.l[1]: expected integer, got "x" (string)'],
    [{ l: { type: 'array', items: {}, minItems: 1 } }, { l: [] }, 'arguments.l: expected array of a value with >= 1 items, got [] (array)'],
    [{ l: { type: 'array', uniqueItems: true } }, { l: [1, 1] }, 'arguments.l[1]: expected different items, got a second 1'],
    [{ a: { type: ['string', 'null'] } }, { a: 1 }, 'arguments.a: expected string or null, got 1'],
    [{ a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }, { a: true }, 'arguments.a: expected string or integer, got true'],
    [{ a: { type: 'object', required: ['b'] } }, { a: [] }, 'arguments.a: expected object with b, got [] (array)'],
  ];
  for (const [properties, args, message] of cases) assert.deepEqual(await problems(properties, args), [message]);
  const city = { city: { type: 'string' } };
  assert.deepEqual(await problems(city, {}, { required: ['city'] }), ['arguments.city: expected string, got nothing; it is required']);
  assert.deepEqual(await problems(city, { town: 1 }, { additionalProperties: false }), [
    'arguments.town: unknown argument; known are city',
  ]);
  assert.deepEqual(await problems({}, {}, { required: ['toString'] }), [
    'arguments.toString: expected a value, got nothing; it is required',
  ]);
});

test('all problems at once, at most 8; long values are cut', async () => {
  const numbers = { l: { type: 'array', items: { type: 'integer' } } };
  const found = await problems(numbers, { l: Array.from({ length: 20 }, () => 'x') });
  assert.equal(found.length, 9);
  assert.equal(found[8], 'and 12 more');
  const [long] = await problems({ a: { type: 'integer' } }, { a: '长'.repeat(500) });
  assert.ok(long!.length < 140, long);
});

test('a schema that is wrong is an error of its own', async () => {
  await assert.rejects(compileValidator({ type: 'object', properties: { a: { type: 'strng' } } }), { code: 'invalid_schema' });
});

const suite = resolve(import.meta.dirname, '../../../shared/data/json-schema-test-suite/tests');

test('agrees with the JSON Schema suite', { skip: existsSync(suite) ? false : `${suite} is not there` }, async () => {
  let right = 0;
  let all = 0;
  for (const draft of ['draft2020-12', 'draft7']) {
    for (const file of readdirSync(join(suite, draft)).filter(
      (name) => name.endsWith('.json') && !/refRemote|dynamicRef|vocabulary/.test(name),
    )) {
      for (const { schema, tests } of JSON.parse(readFileSync(join(suite, draft, file), 'utf8'))) {
        if (typeof schema !== 'object' || JSON.stringify(schema).includes('"http')) continue; // tools have no remote schemas
        const isSelfContained = !/"\$(?:ref|id|anchor)"/.test(JSON.stringify(schema));
        const marked = draft === 'draft7' ? { $schema: 'http://json-schema.org/draft-07/schema#' } : {};
        const root = isSelfContained ? { ...marked, properties: { data: schema } } : { ...marked, ...schema };
        const validate = await compileValidator(root).catch(() => undefined);
        for (const { data, valid } of tests) {
          const args = isSelfContained ? { data } : data;
          if (typeof args !== 'object' || args === null || Array.isArray(args)) continue; // arguments are objects
          all++;
          if (validate && (validate(args, 1).length === 0) === valid) right++;
        }
      }
    }
  }
  assert.ok(all > 800, `${all} cases`);
  assert.ok(right / all >= 0.99, `${right} of ${all}`);
});
