/**
 * npm run -s bench [-- --all] [--only step,growth] [--rounds N] [--store] [--json]
 * Runs ../shared/bench with this project's driver beside the bare loops and the AI SDK (all peers with --all) in one run,
 * judges its goals, and weighs the package. A second table has our SQLite store on. Exits 1 when a goal is short.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const source = resolve(root, '../shared/bench');
const build = join(root, '.bench');
const args = process.argv.slice(2);
const option = (name: string): string | undefined => (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined);

if (!existsSync(source)) {
  console.error(`the peers' bench was not found at ${source}; it is kept beside the project. Nothing was measured.`);
  process.exit(2);
}

function run(command: string, commandArgs: string[], env: NodeJS.ProcessEnv = {}): { status: number; stdout: string } {
  const done = spawnSync(command, commandArgs, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { status: done.status ?? 1, stdout: done.stdout };
}

/** What a user of the package installs: hard dependencies only, counted and weighed as the peers are. */
function weigh(): { packages: number; megabytes: number } {
  const folder = join(build, 'weight');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'weight', private: true, dependencies }));
  run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--prefix', folder]);
  let packages = 0;
  let bytes = 0;
  for (const entry of readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    bytes += readFileSync(file).length;
    if (entry.name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/]+$/.test(entry.parentPath)) packages += 1;
  }
  return { packages, megabytes: bytes / 1e6 };
}

/** Packages that `import 'hermes-agent'` loads. */
function loadedPackages(): number {
  const script = `import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ load(url, context, next) { const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]; if (name) seen.add(name); return next(url, context); } });
    await import('${join(root, 'dist/src/index.js')}'); console.log(seen.size);`;
  return Number(run(process.execPath, ['--input-type=module', '-e', script]).stdout.trim());
}

const bare = ['bare-fetch', 'bare-http', 'bare-incremental', 'ai-sdk'];
const all = readdirSync(join(source, 'peers')).filter((name) => existsSync(join(source, 'peers', name, 'driver.js')));
const peers = args.includes('--all') ? all : bare;

console.error('building dist/ ...');
run('npm', ['run', '-s', 'build']);
if (!existsSync(build)) cpSync(source, build, { recursive: true, filter: (from) => !from.includes('node_modules') });
const bench = (script: string, ...more: string[]) => run(process.execPath, [join(build, script), ...more]);
bench('setup.js', ...peers);

const out = join(build, 'results', 'run.json');
const plan = [...(option('only') ? ['--only', option('only')!] : []), ...(option('rounds') ? ['--rounds', option('rounds')!] : [])];
const table = bench('run.js', '--peers', [...peers, 'hermes'].join(','), '--peer', 'hermes=bench/peer', '--out', out, ...plan);
const outStore = join(build, 'results', 'store.json');
const only = option('only') ?? 'step,step-stream,throughput,growth';
const stored = bench(
  'run.js',
  '--peers',
  'bare-fetch,hermes-store',
  '--peer',
  'hermes-store=bench/peer-store',
  '--only',
  only,
  '--rounds',
  '3',
  '--out',
  outStore,
);

const goals = bench('goals.js', '--from', out, '--peer', 'hermes');
const weight = weigh();
const loaded = loadedPackages();
const figures = [
  ...goals.stdout.trim().split('\n'),
  `weight.packages ${weight.packages} goal <=40 ${weight.packages <= 40 ? 'ok' : 'short'}`,
  `weight.megabytes ${weight.megabytes.toFixed(1)} goal <=30 ${weight.megabytes <= 30 ? 'ok' : 'short'}`,
  `import.packages ${loaded} goal <=10 ${loaded <= 10 ? 'ok' : 'short'}`,
];
const short = figures.some((line) => line.endsWith(' short'));
if (args.includes('--json')) {
  const rows = figures.map((line) => {
    const [name, value, , goal, verdict] = line.split(' ');
    return { name, value: Number(value), goal, ok: verdict === 'ok' };
  });
  console.log(JSON.stringify({ figures: rows, table: table.stdout, store: stored.stdout }));
} else {
  console.log(`${table.stdout}\n\n## With the SQLite store on\n${stored.stdout}\n\n${figures.join('\n')}`);
}
process.exit(short ? 1 : 0);
