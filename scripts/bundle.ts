/**
 * After tsc: what every run loads is put together in one file of dist/, what every command loads in a second one, and the built-in tools
 * in a third, since opening a hundred small modules costs more than the rest of a start. Each module keeps its place and its exports: its
 * file hands on what the bundle holds, so a worker, a tool or a lazy import still meets the same classes. A module that asks where it
 * lies (import.meta) is left alone.
 */

import { hash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';

const dist = resolve(import.meta.dirname, '../dist');
const code = resolve(dist, 'src');
/** The modules by which each bundle is come into, and what they import lazily in every run; a bundle may use those before it. */
const BUNDLES = {
  'run-bundle': ['index.js', 'models/openai-compatible.js'],
  'command-bundle': ['cli/program.js', 'cli/commands/run.js'],
  'tools-bundle': globSync('../tools/*.js', { cwd: code }),
};
const IMPORTED = /^(?:import|export)\s[^;'"]*?from '(\.[^']+)';|^import '(\.[^']+)';/gm;

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** The modules that come with these, by their static imports. */
function closure(doors: readonly string[]): string[] {
  const seen = new Set(doors.map((door) => resolve(code, door)));
  for (const file of seen) {
    for (const [, from, bare] of textOf(file).matchAll(IMPORTED)) seen.add(resolve(dirname(file), (from ?? bare)!));
  }
  return [...seen].filter((file) => !textOf(file).includes('import.meta'));
}

/** As an ES module a part of Node reads all of its exports at start, and some of those load more: node:fs alone costs 5 ms. */
function withBuiltins(text: string): string {
  const names = (list: string) => list.replaceAll(' as ', ': ');
  return text
    .replace(/^import ["']node:\S+["'];\n/gm, '')
    .replace(
      /^import \{([^}]*)\} from ["'](node:[^"']+)["'];/gm,
      (_, list, name) => `const {${names(list)}} = process.getBuiltinModule('${name}');`,
    );
}

/**
 * What a module's file becomes; the bundle has one flat room for the names of all. The hash is for caches that are kept until the code
 * that made them changes.
 */
async function handingOn(file: string, from: string): Promise<string> {
  const room = relative(code, file).replace(/\.js$/, '').replaceAll(/\W/g, '_');
  const names = Object.keys(await import(pathToFileURL(file).href));
  return `// ${hash('sha256', textOf(file)).slice(0, 16)}\nexport { ${names.map((name) => `${room}$${name} as ${name}`).join(', ')} } from '${from}';\n`;
}

/** The same names, on their way into the bundle. */
const holding = (stub: string, file: string) =>
  stub
    .replace(/^.*\n/, '')
    .replaceAll(/(\S+) as (\w+)/g, '$2 as $1')
    .replace(/from '.*'/, `from '${file}'`);

async function bundle(name: string, modules: readonly string[], before: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const stubs = new Map<string, string>();
  for (const file of modules) stubs.set(file, await handingOn(file, `./${name}.js`));
  const door = [...stubs].map(([file, stub]) => holding(stub, file)).join('');
  await build({
    input: { [name]: '\0door' },
    platform: 'node',
    plugins: [
      {
        name: 'rooms',
        resolveId(id, importer = '', { kind }) {
          if (id === '\0door') return id;
          const file = id.startsWith('.') && !importer.startsWith('\0') ? resolve(dirname(importer), id) : id;
          // A lazy import within a bundle goes by the module's own file: else the bundler would make all that it needs lazy, too.
          if (stubs.has(file) && kind !== 'dynamic-import') return file;
          if (before.has(file)) return `\0${file}`;
          return { id: file.startsWith(code) ? `./${relative(code, file)}` : id, external: true };
        },
        load(id) {
          return id === '\0door' ? door : (before.get(id.slice(1)) ?? textOf(id));
        },
      },
    ],
    makeAbsoluteExternalsRelative: false,
    output: { dir: code, entryFileNames: '[name].js', comments: false, codeSplitting: false },
  });
  return stubs;
}

if (textOf(resolve(code, 'index.js')).includes('run-bundle')) throw new Error('dist/ is bundled already; npm run build makes it anew');
const done = new Map<string, string>();
for (const [name, doors] of Object.entries(BUNDLES)) {
  const modules = closure(doors).filter((file) => !done.has(file));
  for (const [file, stub] of await bundle(name, modules, done)) done.set(file, stub);
}
for (const file of globSync('**/*.js', { cwd: dist }).map((name) => resolve(dist, name))) {
  const up = relative(dirname(file), code);
  const stub = done.get(file);
  writeFileSync(file, stub ? stub.replace("from './", `from '${up ? `${up}/` : './'}`) : withBuiltins(textOf(file)));
}
