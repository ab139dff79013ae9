/**
 * A page of HTML, read in a process of its own with limits of time and memory: a thread that runs out of memory can take the whole program
 * with it. What breaks the process is read as plain text.
 */

import { installLine } from '../kernel/errors.ts';
import { moduleFile } from '../package.ts';
import type { Page } from './extract.ts';
import { plainText } from './plain.ts';

/** Milliseconds that a page may take. */
const TIME_LIMIT = 6_000;
/** Megabytes of heap that a page may take. */
const HEAP_LIMIT = 256;
const OUTPUT_LIMIT = 30_000_000;

const PACKAGES = ['linkedom', '@mozilla/readability'] as const;
const NOT_INSTALLED = `finding the main text and the links needs packages (${installLine(...PACKAGES)})`;

export interface ReadPage extends Page {
  /** Why it is plain text only, without links. */
  isPlain?: string;
}
/** Starts a process that gets nothing of this program's environment, and ends with the call. */
export type RunProcess = (
  command: string[],
  options: { input: string; env: Record<string, string>; onlyEnv: true; timeoutMs: number; maxBytes: number },
) => Promise<{ stdout: string; ended?: string }>;

export async function readPage(html: string, url: string, run: RunProcess): Promise<ReadPage> {
  if (!PACKAGES.every(isInstalled)) return { ...plainText(html), links: [], isPlain: NOT_INSTALLED };
  const command = [process.execPath, `--max-old-space-size=${HEAP_LIMIT}`, '--no-warnings', moduleFile('web/extract-process')];
  const limits = { timeoutMs: TIME_LIMIT, maxBytes: OUTPUT_LIMIT };
  const { stdout, ended } = await run(command, { input: `${JSON.stringify(url)}\n${html}`, env: {}, onlyEnv: true, ...limits });
  const page = lastPage(stdout);
  if (page) return page;
  const why = ended === 'time' ? `reading it took more than ${TIME_LIMIT / 1000} s` : 'it is built in a way that cannot be read';
  return { ...plainText(html), links: [], isPlain: why };
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== '';
  } catch {
    return false; // that it is not there is all that the error says
  }
}

/** Of the lines that are whole. */
function lastPage(stdout: string): Page | undefined {
  const line = stdout.split('\n').slice(0, -1).at(-1);
  return line === undefined ? undefined : (JSON.parse(line) as Page);
}
