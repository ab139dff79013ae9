/** YAML from strangers, read safely: small, plain data only, no aliases, no tags, no key twice. */

import type { Document, Node, Pair } from 'yaml';
import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { Json } from '../kernel/types.ts';
import { bracketDepth } from '../tools/depth.ts';

/** Bytes; a manifest has 2,000. */
const MOST_BYTES = 64_000;
/** Levels of brackets within brackets. */
const MOST_DEPTH = 100;
/** Characters of a message: it may quote what it is about. */
const MOST_MESSAGE = 300;
/** What JSON can hold. */
const PLAIN = ['map', 'seq', 'str', 'int', 'float', 'bool', 'null'].map((kind) => `tag:yaml.org,2002:${kind}`);

/** Throws HermesError `bad_yaml` whose data.line is the line, where it is known. */
export async function readYaml(text: string): Promise<Json> {
  const size = Buffer.byteLength(text);
  if (size > MOST_BYTES) throw bad(`it has ${size} bytes; at most ${MOST_BYTES} are read`);
  if (bracketDepth(text) > MOST_DEPTH) throw bad(`its brackets are nested deeper than ${MOST_DEPTH} levels`);
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  // Its own check for keys that stand twice compares each with each: seconds, for a file made for that.
  const document = yaml.parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, lineCounter: lines });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw bad(reasonOf(problem.message), lines.linePos(problem.pos[0]).line);
  checkNodes(yaml, document, (node) => lines.linePos(node.range?.[0] ?? 0).line);
  return document.toJS({ maxAliasCount: 0 }) as Json;
}

function checkNodes(yaml: typeof import('yaml'), document: Document, lineOf: (node: Node) => number): void {
  yaml.visit(document, {
    Alias(_, alias) {
      throw bad(`expected plain values, got the alias *${alias.source}; write the value itself`, lineOf(alias));
    },
    // Of all other nodes: a visitor of one kind would be called instead of this one.
    Node(_, node) {
      if (yaml.isAlias(node)) return;
      const { anchor, tag } = node;
      if (anchor !== undefined)
        throw bad(`expected plain values, got the anchor &${anchor}; write the value where it is needed`, lineOf(node));
      if (tag !== undefined && !PLAIN.includes(tag)) throw bad(`expected plain values, got the tag ${tag}`, lineOf(node));
      if (yaml.isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value))
        throw bad(`expected a number that JSON can hold, got ${node.source}`, lineOf(node));
      if (yaml.isMap(node)) checkKeys(yaml, node.items as Pair<Node>[], lineOf);
    },
  });
}

function checkKeys(yaml: typeof import('yaml'), items: readonly Pair<Node>[], lineOf: (node: Node) => number): void {
  const known = new Set<unknown>();
  for (const { key } of items) {
    if (!yaml.isScalar(key)) throw bad('expected a text as key, got a collection', lineOf(key));
    if (known.has(key.value)) throw bad(`the key ${String(key.value)} stands twice`, lineOf(key));
    if (key.value === '__proto__') throw bad('the key __proto__ is not allowed', lineOf(key));
    known.add(key.value);
  }
}

/** The parser calls itself for each level, and `- - - -` has no brackets to count. */
function reasonOf(message: string): string {
  if (/call stack/.test(message)) return 'it is nested too deeply to be read';
  return message.split('\n')[0]!.replace(/ at line \d+, column \d+:$/, '');
}

function bad(message: string, line?: number): HermesError {
  return new HermesError('bad_yaml', cut(message, MOST_MESSAGE), { kind: 'usage', ...(line === undefined ? {} : { data: { line } }) });
}
