/** The published declarations, as a user's compiler meets them: no `any`, everything inferred, and cheap to check. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'hermes-types-'));
after(() => rm(folder, { recursive: true, force: true }));
const declared = join(folder, 'declared');
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

function tsc(...args: string[]): { output: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], {
    encoding: 'utf8',
    cwd: folder,
  });
  return { output: stdout + stderr, status };
}
await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
tsc('-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--outDir', declared);

/** Compiles one file that imports `hermes-agent`, as a strict project does. */
async function compile(name: string, source: string): Promise<{ output: string; status: number | null; instantiations: number }> {
  const code = source.replaceAll("'../../src/index.ts'", "'hermes-agent'").replaceAll("'../../src/testing.ts'", "'hermes-agent/testing'");
  await writeFile(join(folder, `${name}.ts`), code);
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    lib: ['esnext'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    paths: {
      'hermes-agent': [join(declared, 'src/index.d.ts')],
      'hermes-agent/testing': [join(declared, 'src/testing.d.ts')],
    },
  };
  const config = join(folder, `tsconfig.${name}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const { output, status } = tsc('-p', config, '--extendedDiagnostics');
  return { output, status, instantiations: Number(/Instantiations:\s+(\d+)/.exec(output)?.[1]) };
}

test('there is no `any` in the declarations', async () => {
  const found: string[] = [];
  const files = (await readdir(declared, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
  assert.ok(files.includes(join('src', 'index.d.ts')), 'the declarations have been written');
  for (const file of files) {
    const text = await readFile(join(declared, file), 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gm, '');
    if (/\bany\b/.test(code)) found.push(file);
  }
  assert.deepEqual(found, []);
});

test('arguments, outputs and events are inferred from the declarations as they are from the sources', async () => {
  const { output, status } = await compile('inference', await readFile(join(import.meta.dirname, 'inference.test.ts'), 'utf8'));
  assert.equal(status, 0, output);
});

/**
 * Type instantiations of 50 tools (half zod, half JSON Schema), 10 outputs and an event handler, beyond those of the imports alone.
 * Measured: 35,926 with TypeScript 7.0.2 and zod 4.6.7; the ceiling leaves 30 %.
 */
const CEILING = 47_000;

test('50 tools, their outputs and an event handler stay under a ceiling of instantiations', async () => {
  const imports = `import { z } from 'zod';\nimport { Agent, tool } from '../../src/index.ts';\n`;
  const none = await compile('none', `${imports}export const made = [z, Agent, tool];\n`);
  const many = await compile('many', imports + fiftyTools());
  assert.deepEqual([none.status, many.status], [0, 0], none.output + many.output);
  const cost = many.instantiations - none.instantiations;
  assert.ok(cost > 1000, 'something has been measured');
  assert.ok(cost <= CEILING, `${cost} instantiations, the ceiling is ${CEILING}`);
});

function fiftyTools(): string {
  const tools = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? zodTool(i) : jsonTool(i)));
  const outputs = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? zodOutput(i) : jsonOutput(i)));
  return `
const agent = new Agent({ tools: [${tools.join(',\n')}] });
${outputs.join('\n')}
for await (const event of agent.stream('x')) {
  if (event.event_type === 'tool.end' && event.data.result.success) console.log(event.data.result.data);
  if (event.event_type === 'run.end') console.log(event.data.outcome.status);
}
`;
}

function zodTool(i: number): string {
  return `tool({
  name: 'zod_${i}', description: 'x', level: 'read',
  input: z.object({
    id_${i}: z.number().int(), name: z.string().min(1).optional(), kind: z.enum(['a', 'b', 'k${i}']).default('a'),
    place: z.object({ lat: z.number(), lon: z.number() }), tags: z.array(z.string()),
  }),
  execute: ({ id_${i}, name, kind, place, tags }) => [id_${i} + place.lat, name?.trim(), kind.length, tags.map((tag) => tag.length)],
})`;
}

function jsonTool(i: number): string {
  return `tool({
  name: 'json_${i}', description: 'x', level: 'write',
  input: {
    type: 'object',
    properties: {
      id_${i}: { type: 'integer' }, name: { type: 'string' }, kind: { enum: ['a', 'b', 'k${i}'], default: 'a' },
      place: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } }, required: ['lat', 'lon'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['id_${i}', 'place', 'tags'],
  },
  execute: ({ id_${i}, name, kind, place, tags }) => [id_${i} + place.lat, name?.trim(), kind.length, tags.map((tag) => tag.length)],
})`;
}

function zodOutput(i: number): string {
  return `const output_${i} = await agent.run('x', { output: z.object({ o_${i}: z.string(), list: z.array(z.object({ n: z.number() })) }) });
if (output_${i}.status === 'success') console.log(output_${i}.output.o_${i}.length, output_${i}.output.list[0]?.n.toFixed());`;
}

function jsonOutput(i: number): string {
  return `const output_${i} = await agent.session().run('x', { output: {
  type: 'object', properties: { o_${i}: { type: 'string' }, list: { type: 'array', items: { type: ['number', 'null'] } } }, required: ['o_${i}', 'list'],
} });
if (output_${i}.status === 'success') console.log(output_${i}.output.o_${i}.length, output_${i}.output.list[0]?.toFixed());`;
}
