/**
 * The argument adapter against the ways in which models write arguments otherwise than declared: `npm run -s bench:adapter [-- -v]`.
 * Every valid gold call of the public function-calling cases has to pass unchanged. Then each is rewritten in each way that it can be;
 * what reaches the tool has to be the gold call (mended), or the call is refused with a reason (refused). Another value at the tool is
 * wrong, whatever its schema says. -v shows what was refused or wrong.
 */

import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Json, JsonObject } from '../src/kernel/types.ts';
import { adaptArguments, hasUnknown } from '../src/tools/adapt.ts';
import { withDefaults } from '../src/tools/schema.ts';
import { compileValidator, inspect, type Validator } from '../src/tools/validate.ts';
import { type Case, casesOf, needBfcl, toolOf } from './bfcl.ts';
import { schemaSuite } from './schema-suite.ts';

const SETS = ['simple_python', 'multiple', 'parallel', 'parallel_multiple'];
const GOALS = { unchanged: 1, mended: 0.97, wrong: 0 };

type Schema = JsonObject & { properties: Record<string, JsonObject>; required?: string[] };
interface Gold {
  id: string;
  tool: string;
  schema: Schema;
  args: JsonObject;
  validate: Validator;
}
/** Another way to write the same arguments; undefined when these cannot be written so. */
type Mutation = (args: JsonObject, gold: Gold) => JsonObject | undefined;

// ---- the ways -------------------------------------------------------------------------------------------

const words = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+|\s+/)
    .filter(Boolean);
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
const camel = (name: string) =>
  words(name)
    .map((word, i) => (i === 0 ? word.toLowerCase() : capital(word)))
    .join('');

function keys(write: (name: string) => string): Mutation {
  return (args) => {
    const renamed = Object.entries(args).map(([key, value]) => [write(key), value] as const);
    const isOther = renamed.some(([key], i) => key !== Object.keys(args)[i]);
    return isOther && new Set(renamed.map(([key]) => key)).size === renamed.length ? Object.fromEntries(renamed) : undefined;
  };
}

/** Each value, where `write` gives another one for it. */
function values(write: (value: Json, schema: JsonObject, key: string) => Json | undefined): Mutation {
  return (args, { schema }) => {
    let isOther = false;
    const written = Object.entries(args).map(([key, value]) => {
      const other = write(value, schema.properties[key] ?? {}, key);
      isOther ||= other !== undefined;
      return [key, other ?? value] as const;
    });
    return isOther ? Object.fromEntries(written) : undefined;
  };
}

const numeric = (schema: JsonObject) => schema.type === 'integer' || schema.type === 'number';
const listed = (schema: JsonObject, write: (text: string) => string) => (value: Json) =>
  Array.isArray(schema.enum) && typeof value === 'string' && write(value) !== value && !schema.enum.includes(write(value))
    ? write(value)
    : undefined;
const python = (value: Json): string => {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  return value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);
};
const optionalOf = ({ schema, args }: Gold) =>
  Object.keys(schema.properties).filter((key) => !schema.required?.includes(key) && !Object.hasOwn(args, key));

const MUTATIONS: Record<string, Mutation> = {
  'names: camelCase': keys(camel),
  'names: snake_case': keys((name) =>
    words(name)
      .map((word) => word.toLowerCase())
      .join('_'),
  ),
  'names: kebab-case': keys((name) =>
    words(name)
      .map((word) => word.toLowerCase())
      .join('-'),
  ),
  'names: PascalCase': keys((name) => words(name).map(capital).join('')),
  'names: UPPER_CASE': keys((name) => name.toUpperCase()),
  'names: with spaces': keys((name) => words(name).map(capital).join(' ')),
  'enum: lower case': values((value, schema) => listed(schema, (text) => text.toLowerCase())(value)),
  'enum: UPPER CASE': values((value, schema) => listed(schema, (text) => text.toUpperCase())(value)),
  'enum: other separators': values((value, schema) =>
    listed(schema, (text) => text.replace(/[ _-]/g, (one) => (one === '_' ? ' ' : '_')))(value),
  ),
  'numbers as text': values((value, schema) => (numeric(schema) && typeof value === 'number' ? String(value) : undefined)),
  'numbers in lists as text': values((value, { items }) =>
    Array.isArray(value) && value.length > 0 && numeric((items ?? {}) as JsonObject) ? value.map(String) : undefined,
  ),
  'booleans as text': values((value) => (typeof value === 'boolean' ? String(value) : undefined)),
  'booleans as Python': values((value) => (typeof value === 'boolean' ? python(value) : undefined)),
  'text as number': values((value, schema) =>
    schema.type === 'string' && typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined,
  ),
  'list for a single value': values((value, schema) => (schema.type !== 'array' && schema.type !== undefined ? [value] : undefined)),
  'single value for a list': values((value, schema) =>
    schema.type === 'array' && Array.isArray(value) && value.length === 1 && !Array.isArray(value[0]) ? value[0] : undefined,
  ),
  'numbers in one text': values((value, { items }) =>
    Array.isArray(value) && value.length > 1 && numeric((items ?? {}) as JsonObject) && value.every((one) => typeof one === 'number')
      ? value.join(', ')
      : undefined,
  ),
  'JSON in text': values((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined)),
  'Python in text': values((value) =>
    Array.isArray(value) && !/["'\\]/.test(JSON.stringify(value).replaceAll('"', '')) ? python(value) : undefined,
  ),
  'wrapped in arguments': (args) => ({ arguments: args }),
  'wrapped in parameters, as text': (args) => ({ parameters: JSON.stringify(args) }),
  'wrapped with the name': (args, { tool }) => ({ name: tool, arguments: args }),
  'wrapped in the name': (args, { tool, schema }) => (Object.hasOwn(schema.properties, tool) ? undefined : { [tool]: args }),
  'values wrapped': values((value, schema) => (schema.type === 'string' || numeric(schema) ? { value } : undefined)),
  'some in a group': (args, { schema }) => {
    const [first, ...rest] = Object.entries(args);
    return rest.length > 0 && !Object.hasOwn(schema.properties, 'options')
      ? { [first![0]]: first![1], options: Object.fromEntries(rest) }
      : undefined;
  },
  'null for optional': (args, gold) => withAll(args, optionalOf(gold), null),
  'None for optional': (args, gold) =>
    withAll(
      args,
      optionalOf(gold).filter((key) => numeric(gold.schema.properties[key] ?? {})),
      'None',
    ),
  'several at once': (args, gold) => {
    const asText = values((value, schema) =>
      numeric(schema) || typeof value === 'boolean' ? String(value) : schema.type === 'string' ? [value] : undefined,
    );
    const renamed = keys(camel);
    const other = asText(args, gold) ?? args;
    return { parameters: JSON.stringify(renamed(other, gold) ?? other) };
  },
  'an unknown argument more': (args) => ({ ...args, thought_about_it: 'yes' }),
  'aliased names': keys((name) => `my_${name}`),
};

function withAll(args: JsonObject, names: readonly string[], value: Json): JsonObject | undefined {
  return names.length === 0 ? undefined : { ...args, ...Object.fromEntries(names.map((name) => [name, value])) };
}

// ---- running them ---------------------------------------------------------------------------------------

async function goldCalls(): Promise<{ valid: Gold[]; invalid: string[] }> {
  const valid: Gold[] = [];
  const invalid: string[] = [];
  for (const { id, functions, calls } of SETS.flatMap((set): Case[] => casesOf(set))) {
    const tools = new Map(
      functions.map(toolOf as (one: (typeof functions)[number]) => ReturnType<typeof toolOf>).map((one) => [one.info.name, one]),
    );
    for (const { name, arguments: args } of calls) {
      const schema = tools.get(name)!.info.input_schema as Schema;
      const validate = await compileValidator(schema);
      if (validate(args, inspect(args).size).length > 0 || hasUnknown(schema, args)) invalid.push(id);
      else valid.push({ id, tool: name, schema, args, validate });
    }
  }
  return { valid, invalid };
}

/** As prepare does it: what is valid is left alone. */
function adapted(given: JsonObject, { schema, tool, validate }: Gold, aliases: Record<string, string>) {
  if (validate(given, inspect(given).size).length === 0 && !hasUnknown(schema, given)) return { args: given, repairs: 0 };
  const { arguments: args, problems, repairs } = adaptArguments(schema, given, { tool, aliases, unknown: 'drop' });
  const all = problems.length > 0 ? problems : validate(args, inspect(args).size);
  return { args: all.length > 0 ? undefined : args, repairs: repairs.length, problem: all[0] };
}

const { values: options } = parseArgs({ options: { verbose: { type: 'boolean', short: 'v' }, json: { type: 'boolean' } } });
needBfcl('bench:adapter');
const { valid, invalid } = await goldCalls();
const unchanged = valid.filter((gold) => adapted(gold.args, gold, {}).repairs === 0).length;
const total = { mended: 0, refused: 0, wrong: 0 };
const rows: string[] = [];
for (const [name, mutate] of Object.entries(MUTATIONS)) {
  const count = { mended: 0, refused: 0, wrong: 0 };
  for (const gold of valid) {
    const given = mutate(structuredClone(gold.args), gold);
    if (!given) continue;
    const aliases =
      name === 'aliased names' ? Object.fromEntries(Object.keys(gold.schema.properties).map((key) => [`my_${key}`, key])) : {};
    const { args, problem } = adapted(given, gold, aliases);
    const isSame = args && isDeepStrictEqual(withDefaults(gold.schema, args), withDefaults(gold.schema, gold.args));
    const result = args ? (isSame ? 'mended' : 'wrong') : 'refused';
    count[result]++;
    total[result]++;
    if (options.verbose && result !== 'mended')
      console.error(`${result} ${name} ${gold.id} ${JSON.stringify(given)} -> ${args ? JSON.stringify(args) : problem}`);
  }
  const all = count.mended + count.refused + count.wrong;
  rows.push(
    `${name.padEnd(32)} ${String(all).padStart(5)} calls  ${((100 * count.mended) / all).toFixed(1).padStart(6)} % mended  ${count.refused} refused  ${count.wrong} wrong`,
  );
}
const all = total.mended + total.refused + total.wrong;
const figures = [
  { name: 'adapter_unchanged', value: unchanged / valid.length, goal: GOALS.unchanged, ok: unchanged === valid.length },
  { name: 'adapter_mended', value: total.mended / all, goal: GOALS.mended, ok: total.mended / all >= GOALS.mended },
  { name: 'adapter_wrong', value: total.wrong, goal: GOALS.wrong, ok: total.wrong === GOALS.wrong },
];
for (const [draft, goal] of [
  ['draft2020-12', 0.97],
  ['draft7', 0.98],
] as const) {
  const suite = await schemaSuite(draft);
  if (!suite) continue;
  const value = suite.passed / suite.all;
  rows.push(`JSON Schema test suite, ${draft}: ${suite.passed} of ${suite.all}`);
  figures.push({ name: `adapter_schema_${draft}`, value, goal, ok: value >= goal });
}
if (options.json) console.log(JSON.stringify({ figures, rows }));
else {
  console.log(
    `${valid.length} valid calls (${invalid.length} gold calls break their own schema: ${invalid.join(', ')}), ${all} rewritten\n${rows.join('\n')}`,
  );
  for (const { name, value, goal, ok } of figures) console.log(`${name} ${Number(value.toFixed(4))} goal ${goal} ${ok ? 'ok' : 'short'}`);
}
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
