/**
 * How much of the official JSON Schema test suite the validator passes, per draft: references to schemas on other machines are never
 * followed, and `format` is checked though the newer draft only notes it, so those cases count as failed.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../src/kernel/types.ts';
import { compileValidator, type Validator } from '../src/tools/validate.ts';

const TESTS = resolve(import.meta.dirname, '../../shared/data/json-schema-test-suite/tests');
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

interface Group {
  schema: JsonObject | boolean;
  tests: { data: JsonObject; valid: boolean }[];
}

/** undefined: the suite is not there. */
export async function schemaSuite(draft: 'draft7' | 'draft2020-12'): Promise<{ passed: number; all: number } | undefined> {
  const folder = join(TESTS, draft);
  if (!existsSync(folder)) return undefined;
  const count = { passed: 0, all: 0 };
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    for (const { schema, tests } of JSON.parse(readFileSync(join(folder, file), 'utf8')) as Group[]) {
      const named = draft === 'draft7' && typeof schema === 'object' ? { $schema: DRAFT_7, ...schema } : schema;
      const validate = await compileValidator(named as JsonObject).catch((): Validator => () => ['the schema is refused']);
      count.all += tests.length;
      count.passed += tests.filter(({ data, valid }) => isValid(validate, data) === valid).length;
    }
  }
  return count;
}

function isValid(validate: Validator, data: JsonObject): boolean | undefined {
  try {
    return validate(data, 10).length === 0;
  } catch {
    return undefined; // a check that fails is neither yes nor no, and counts as failed
  }
}
