/** The shape of the project, checked: layers, cycles, sizes, READMEs, what no file may hold. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const NOT_OURS = new Set(['node_modules', '.git', 'dist', '.hermes', '.bench', '.env', '.setup-lock']);

/** What each folder of src/ may import besides itself. */
const PARTS = [
  'models',
  'protocols',
  'tools',
  'skills',
  'memory',
  'guards',
  'plan',
  'journal',
  'media',
  'mcp',
  'shell',
  'sandbox',
  'web',
  'sql',
  'browser',
];
const BASE = ['kernel', 'network', 'package.ts'];
const MAY_IMPORT: Record<string, string[]> = {
  kernel: [],
  network: ['kernel'],
  ...Object.fromEntries(PARTS.map((part) => [part, BASE])),
  skills: [...BASE, 'tools'],
  mcp: [...BASE, 'tools'],
  protocols: [...BASE, 'models/types.ts'],
  agent: [...BASE, ...PARTS],
  harness: [...BASE, 'agent', ...PARTS],
  evals: [...BASE, 'agent', 'harness', ...PARTS],
  server: [...BASE, 'agent', 'harness', ...PARTS],
  cli: [...BASE, 'agent', 'harness', 'evals', 'server', ...PARTS],
};

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name) || entry.name.endsWith('.tgz')) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : [];
  });
}

const sources = filesUnder(join(root, 'src')).filter((file) => file.endsWith('.ts'));

/** Local files that a file imports, statically, lazily, as a type or as a worker. */
function importsOf(file: string): string[] {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = code.matchAll(/(?:\bfrom|\bimport|\bimport\(|new URL\()\s*['"](\.{1,2}\/[^'"]+)['"]/g);
  return [...found].map((match) => resolve(dirname(file), match[1]!));
}

const nameOf = (file: string) => relative(join(root, 'src'), file).split(sep).join('/');

test('imports only point downwards', () => {
  const wrong: string[] = [];
  for (const file of sources) {
    const [folder, ...rest] = nameOf(file).split('/');
    if (rest.length === 0) continue; // src/index.ts and its like: the public door
    const allowed = MAY_IMPORT[folder!];
    assert.ok(allowed, `src/${folder} has no place among the layers`);
    for (const target of importsOf(file)) {
      const name = nameOf(target);
      if (name.startsWith('../')) continue;
      const isAllowed = [folder!, ...allowed].some((one) => name === one || name.startsWith(`${one}/`));
      if (!isAllowed) wrong.push(`src/${nameOf(file)} imports src/${name}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('the kernel imports nothing from outside its folder, not even from Node', () => {
  for (const file of sources.filter((one) => nameOf(one).startsWith('kernel/'))) {
    const bare = [...readFileSync(file, 'utf8').matchAll(/\bfrom '([^.'][^']*)'/g)].map((match) => match[1]);
    assert.deepEqual(bare, [], nameOf(file));
  }
});

test('no import cycle', () => {
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    const at = path.indexOf(file);
    assert.equal(at, -1, `cycle: ${[...path.slice(at), file].map(nameOf).join(' -> ')}`);
    if (done.has(file) || !file.endsWith('.ts') || !existsSync(file)) return;
    for (const target of importsOf(file)) if (target !== file) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
});

test('the kernel fits one file of fewer than 500 lines', () => {
  const lines = readFileSync(join(root, 'src', 'kernel', 'kernel.ts'), 'utf8').split('\n').length;
  assert.ok(lines < 500, `${lines} lines`);
});

test('each folder of src/ explains itself in at most 15 lines', () => {
  for (const folder of readdirSync(join(root, 'src')).filter((name) => statSync(join(root, 'src', name)).isDirectory())) {
    const readme = join(root, 'src', folder, 'README.md');
    assert.ok(existsSync(readme), `src/${folder}/README.md is missing`);
    const lines = readFileSync(readme, 'utf8').trimEnd().split('\n').length;
    assert.ok(lines <= 15, `src/${folder}/README.md has ${lines} lines`);
  }
});

test('every template exists in Chinese and in English, with the same variables', () => {
  const names = readdirSync(join(root, 'templates')).filter((name) => name.endsWith('.md'));
  const variables = (name: string) =>
    [...new Set(readFileSync(join(root, 'templates', name), 'utf8').match(/\{\{\w+\}\}/g) ?? [])].sort().join(' ');
  assert.ok(names.length > 0);
  for (const name of names.filter((one) => one !== 'README.md')) {
    const twin = name.endsWith('.zh.md') ? name.replace(/\.zh\.md$/, '.en.md') : name.replace(/\.en\.md$/, '.zh.md');
    assert.notEqual(twin, name, `${name} says no language`);
    assert.ok(names.includes(twin), `${twin} is missing`);
    assert.equal(variables(name), variables(twin), `${name} and ${twin}`);
  }
});

test('no file holds a path of one machine or the address of a package registry', () => {
  // Put together here, so that this file does not hold them itself.
  const forbidden = new RegExp(
    [
      `/${'work'}/(main|shared|\\.)`,
      `/${'tmp'}/brief`,
      `/${'root'}/(\\.npm|\\.cache|\\.config)`,
      `${'registry'}\\.npm`,
      `${'npm'}mirror`,
      `${'py'}pi\\.org`,
      `${'python'}hosted`,
    ].join('|'),
  );
  const holders = filesUnder(root).filter((file) => statSync(file).size < 5_000_000 && forbidden.test(readFileSync(file, 'utf8')));
  assert.deepEqual(
    holders.map((file) => relative(root, file)),
    [],
  );
});
