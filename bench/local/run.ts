/** A whole `hermes run` beside a plain node-llama-cpp script with the same prompts, by turns in one go: seconds on the wall, medians. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const REQUEST = '(13+27)*4 等于多少？';
const ROUNDS = 5;

export interface RunTimes {
  hermes: number;
  plain: number;
}

/** The first, uncounted run writes the prompts down and leaves the states of their fronts behind, as a person's second run finds them. */
export function timeRuns(modelFile: string, directory: string): RunTimes {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  try {
    const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
    const env = { PATH: process.env.PATH, HOME: folder, HERMES_MODELS: directory };
    const run = (args: string[], more = {}) => {
      const started = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, {
        cwd: folder,
        env: { ...env, ...more },
        encoding: 'utf8',
        timeout: 120_000,
      });
      if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stderr}`);
      return (performance.now() - started) / 1000;
    };
    const hermes = [main, 'run', REQUEST, '--model', 'local:smollm2-135m'];
    run(hermes, { HERMES_DEBUG: '1' });
    const debug = join(folder, '.hermes', 'debug');
    const plain = [join(import.meta.dirname, 'plain.ts'), modelFile, join(debug, readdirSync(debug)[0]!)];
    const times = Array.from({ length: ROUNDS }, () => ({ hermes: run(hermes), plain: run(plain) }));
    const median = (key: keyof RunTimes) => times.map((time) => time[key]).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
    return { hermes: median('hermes'), plain: median('plain') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
