/** The short way says yes only where the validator does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { surelyValid } from '../../src/tools/plain.ts';
import { compileValidator } from '../../src/tools/validate.ts';

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record({
      type: fc.constantFrom<Json>('string', 'boolean', 'number', 'integer'),
      description: fc.constant('x'),
    }) as fc.Arbitrary<JsonObject>,
    fc.record({ type: fc.constant<Json>('string'), enum: fc.constant<Json>(['a', 'b', 1, null]) }) as fc.Arbitrary<JsonObject>,
    fc.record({ type: fc.constant<Json>('array'), items: tie('schema') }) as fc.Arbitrary<JsonObject>,
    fc.record(
      {
        type: fc.constant<Json>('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('schema')),
        required: fc.uniqueArray(fc.constantFrom('a', 'b')) as fc.Arbitrary<Json>,
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    ) as fc.Arbitrary<JsonObject>,
  ),
}));
const value = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.constantFrom<Json>('a', 1, 1.5, true, null, ['a'], {}), fc.jsonValue() as fc.Arbitrary<Json>),
  ),
);

test('what is surely valid is valid for the validator, whatever the schema and the value', async () => {
  let yes = 0;
  await fc.assert(
    fc.asyncProperty(schema, value, async (one, given) => {
      if (!surelyValid(one, given)) return;
      yes += 1;
      const wrapped = { type: 'object', properties: { it: one } };
      const validate = await compileValidator(wrapped);
      assert.deepEqual(validate({ it: given }, 1), [], JSON.stringify({ one, given }));
    }),
    { numRuns: 2000 },
  );
  assert.ok(yes > 40, `only ${yes} values took the short way`);
});

test('usual calls take the short way; anything it does not know does not', () => {
  const usual: JsonObject = { type: 'object', properties: { a: { type: 'number' }, city: { type: 'string' } }, required: ['a'] };
  assert.equal(surelyValid(usual, { a: 1, city: '上海' }), true);
  assert.equal(surelyValid(usual, { a: '1' }), false);
  assert.equal(surelyValid(usual, {}), false);
  assert.equal(surelyValid({ type: 'string', pattern: '^a' }, 'a'), false);
  assert.equal(surelyValid({ type: 'string', format: 'email' }, 'a'), false);
  assert.equal(surelyValid({ type: 'object', properties: {}, additionalProperties: false }, { b: 1 }), false);
});
