/**
 * What a plain function may do, as its code shows it, when its comment does not say: only code that computes counts as `read`. This
 * guards against forgetting, not against hiding: an author who wants to can hide an effect, but then it is the author's own code.
 */

import type { Module, Modules } from './module.ts';

export interface Effect {
  /** The name in the code: a module or a global. */
  name: string;
  line: number;
  /** What comes back was written outside, and arguments may go out. */
  network: boolean;
}

/** Parts of Node that only compute. */
const PURE = /^(?:node:)?(?:assert|buffer|crypto|path|punycode|querystring|string_decoder|url|util|zlib|timers|timers\/promises)(?:\/|$)/;
const NETWORK = /^(?:node:)?(?:http|https|http2|net|tls|dgram|dns)(?:\/|$)/;
const ACTING: Readonly<Record<string, { network: boolean }>> = {
  fetch: { network: true },
  WebSocket: { network: true },
  EventSource: { network: true },
  XMLHttpRequest: { network: true },
  process: { network: false },
  globalThis: { network: false },
  global: { network: false },
  require: { network: false },
  eval: { network: false },
  Function: { network: false },
  Worker: { network: false },
};

/** The first thing in the file, or in the local files that it imports code from, that does more than compute. */
export function effectOf(module: Module, modules: Modules, seen = new Set<string>()): Effect | undefined {
  if (seen.has(module.file)) return undefined;
  seen.add(module.file);
  for (const statement of module.program.body) {
    const found = inNode(statement, module, modules, seen);
    if (found) return found;
  }
  return undefined;
}

function inNode(node: unknown, module: Module, modules: Modules, seen: Set<string>): Effect | undefined {
  if (Array.isArray(node)) {
    for (const one of node) {
      const found = inNode(one, module, modules, seen);
      if (found) return found;
    }
    return undefined;
  }
  if (typeof node !== 'object' || node === null) return undefined;
  const { type, start } = node as { type?: string; start: number };
  if (type === undefined || /^TS(?!As|Non|Satisfies)/.test(type)) return undefined;
  const effect = (name: string, network: boolean): Effect => ({ name, line: module.lineOf(start), network });
  if (type === 'ImportDeclaration' || type === 'ExportNamedDeclaration' || type === 'ExportAllDeclaration') {
    const { source, importKind, exportKind } = node as { source?: { value: string }; importKind?: string; exportKind?: string };
    if (source && importKind !== 'type' && exportKind !== 'type') {
      const found = inImport(source.value, module, modules, seen, effect);
      if (found) return found;
    }
  }
  if (type === 'ImportExpression') return effect('import()', true);
  if (type === 'Identifier') {
    const { name } = node as { name: string };
    if (Object.hasOwn(ACTING, name)) return effect(name, ACTING[name]!.network);
  }
  for (const [key, child] of Object.entries(node)) {
    const isName = (key === 'property' || key === 'key') && !(node as { computed?: boolean }).computed;
    const found = isName ? undefined : inNode(child, module, modules, seen);
    if (found) return found;
  }
  return undefined;
}

function inImport(
  source: string,
  module: Module,
  modules: Modules,
  seen: Set<string>,
  effect: (name: string, network: boolean) => Effect,
): Effect | undefined {
  if (PURE.test(source) || source === 'hermes-agent') return undefined;
  if (source.startsWith('.')) {
    const from = modules.local(module, source);
    const found = from && effectOf(from, modules, seen);
    return found ? effect(`${found.name} (in ${source})`, found.network) : undefined;
  }
  const isNode =
    source.startsWith('node:') || NETWORK.test(source) || /^(?:fs|child_process|os|sqlite|cluster|worker_threads|vm|repl)\b/.test(source);
  return effect(source, isNode ? NETWORK.test(source) : true);
}
