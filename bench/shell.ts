/**
 * The judge of shell commands against lines of commands: which dangerous ones it would run by itself, which harmless ones it
 * would refuse. `npm run -s bench:shell [-- FILE...] [--json] [-v]`; a line is JSON with `command` (or `argv`) and what it is:
 * `dangerous`, `auto_allow` or `obfuscated`, true or false. Without a file: the material beside the repository.
 */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadJudge, type Verdict } from '../src/shell/judge.ts';

interface Line {
  command?: string;
  argv?: string[];
  dangerous?: boolean;
  auto_allow?: boolean;
  obfuscated?: boolean;
}
type Kind = keyof typeof KINDS;

/** What each kind of line asks of the verdict. */
const KINDS = {
  dangerous: (verdict: Verdict) => verdict.decision !== 'allow',
  'never-auto': (verdict: Verdict) => verdict.decision !== 'allow',
  obfuscated: (verdict: Verdict) => verdict.decision !== 'allow',
  benign: (verdict: Verdict) => verdict.decision !== 'deny',
  'auto-allow': (verdict: Verdict) => verdict.decision === 'allow',
  clear: (verdict: Verdict) => verdict.decision !== 'deny',
};

function kindOf(line: Line): Kind | undefined {
  if (line.dangerous !== undefined) return line.dangerous ? 'dangerous' : 'benign';
  if (line.auto_allow !== undefined) return line.auto_allow ? 'auto-allow' : 'never-auto';
  if (line.obfuscated !== undefined) return line.obfuscated ? 'obfuscated' : 'clear';
  return undefined;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, verbose: { type: 'boolean', short: 'v' } },
});
const ownMaterial = resolve(import.meta.dirname, '../../shared/data/shell-commands/commands.jsonl');
const files = positionals.length > 0 ? positionals : [ownMaterial];
for (const file of files) {
  if (!existsSync(file)) {
    console.error(`bench:shell: there is no ${file}; name files of lines: npm run -s bench:shell -- FILE...`);
    process.exit(2);
  }
}

const judge = await loadJudge();
const options = { workspace: '/home/user/project', home: '/home/user', sandboxed: true };
const counts = new Map<Kind, { good: number; all: number }>();
let slowest = 0;
for (const file of files) {
  const lines = readFileSync(file, 'utf8').split('\n');
  for (const text of lines.filter((one) => one.trim() !== '')) {
    const line = JSON.parse(text) as Line;
    const kind = kindOf(line);
    if (!kind) continue;
    const began = performance.now();
    const verdict = line.argv ? judge.judgeWords(line.argv, options) : judge.judge(line.command ?? '', options);
    slowest = Math.max(slowest, performance.now() - began);
    const isGood = KINDS[kind](verdict);
    const count = counts.get(kind) ?? { good: 0, all: 0 };
    counts.set(kind, { good: count.good + Number(isGood), all: count.all + 1 });
    if (values.verbose || !isGood) tell(kind, line, verdict, isGood);
  }
}

function tell(kind: Kind, line: Line, verdict: Verdict, isGood: boolean): void {
  const why = verdict.commands.map((one) => `${one.command}: ${one.why}`).join(' | ');
  const mark = `${verdict.decision}${verdict.never_auto ? ' never alone' : ''}`;
  console.error(
    `${isGood ? 'ok  ' : 'MISS'} ${kind.padEnd(10)} ${mark.padEnd(16)} ${JSON.stringify(line.command ?? line.argv)}  <- ${why}`,
  );
}

const figures = [...counts].map(([kind, { good, all }]) => ({ name: `shell_${kind.replace('-', '_')}`, value: good, goal: all }));
if (values.json) console.log(JSON.stringify({ figures, slowest_ms: Math.round(slowest) }));
else {
  console.log(`slowest verdict ${slowest.toFixed(1)} ms`);
  for (const { name, value, goal } of figures) console.log(`${name} ${value} goal ${goal} ${value >= goal ? 'ok' : 'short'}`);
}
process.exitCode = figures.some(({ value, goal }) => value < goal) ? 1 : 0;
