/** A skill's code, as far as it shows without running it: the function that is called, and what it does. Loaded when it has changed. */

import { HermesError } from '../kernel/errors.ts';
import type { Fresh } from '../tools/content-cache.ts';
import { bracketDepth } from '../tools/depth.ts';
import type { Entry } from './types.ts';

/** Exports that are called, the first that is there. */
const NAMES = ['default', 'execute', 'run'];

/** Brackets within brackets; the parser's stack ends between 2,000 and 8,000, and the program with it. */
const MOST_DEPTH = 1_000;
class TooDeep extends Error {}
/** Code that is not looked into: it is used, and asked about. */
const UNREAD: Entry = { key: 'default', level: 'write', acts: 'it is nested too deeply to be read' };

/** Parses the file; nothing of it runs. */
export async function readEntry(file: string): Promise<Fresh<Entry>> {
  const { parseSync } = await import('oxc-parser');
  const { Modules } = await import('../tools/infer/module.ts');
  const { effectOf } = await import('../tools/infer/effects.ts');
  const modules = new Modules((name, text, options) => {
    if (bracketDepth(text) > MOST_DEPTH) throw new TooDeep();
    const parsed = parseSync(name, text, options);
    const [error] = parsed.errors;
    if (!error) return parsed;
    const line = text.slice(0, error.labels[0]?.start ?? 0).split('\n').length;
    throw bad(`${name === file ? 'it' : name} is no valid code: ${error.message}`, line);
  });
  try {
    const module = modules.read(file);
    const key = NAMES.find((name) => module.exports.has(name)) ?? onlyOne([...module.exports.keys()]);
    if (key === undefined)
      return {
        value: { problem: { code: 'no_function', message: 'expected `export default function (args, context)`, found no such export' } },
      };
    const node = modules.findExport(module, key)?.value.node as { params?: unknown[]; type?: string } | undefined;
    if (node?.type !== undefined && /Literal$|^ObjectExpression$|^ArrayExpression$|^Class/.test(node.type))
      return { value: { problem: { code: 'no_function', message: `expected ${key} to be a function (args, context), got ${node.type}` } } };
    const effect = effectOf(module, modules);
    const takesContext = node?.params === undefined || node.params.length > 1;
    const why = effect ? `it uses ${effect.name} (line ${effect.line})` : takesContext ? 'it takes the context' : undefined;
    const value: Entry = {
      key,
      level: why ? 'write' : 'read',
      ...(effect?.network ? { untrusted: true, outward: true } : {}),
      ...(why ? { acts: why } : {}),
    };
    return { value, files: modules.files };
  } catch (error) {
    if (error instanceof TooDeep) return { value: UNREAD };
    if (!(error instanceof HermesError)) throw error;
    const { code, message, data } = error;
    return { value: { problem: { code, message, ...(typeof data.line === 'number' ? { line: data.line } : {}) } } };
  }
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

function bad(message: string, line?: number): HermesError {
  return new HermesError('bad_entry', message, { kind: 'usage', ...(line === undefined ? {} : { data: { line } }) });
}
