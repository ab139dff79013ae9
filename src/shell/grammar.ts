/** The grammar of bash: tree-sitter-bash in WebAssembly, loaded at first use and kept. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Node, Parser } from 'web-tree-sitter';
import { packageMissing } from '../kernel/errors.ts';

export type { Node };

/** Gives the root of the tree, for the caller to free (`root.tree.delete()`); undefined when the text takes the parser too long. */
export type Parse = (text: string) => Node | undefined;

/** Here-documents opened: beyond this the parser's work grows with their square (8,000 of them take it 25 s). */
const MOST_HEREDOCS = 64;
/** How often the parser may report progress (each is some thousand steps of its work) before it is stopped. */
const MOST_REPORTS = 2_000;

let loading: Promise<Parse> | undefined;

/** 25 ms the first time. */
export function loadGrammar(): Promise<Parse> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Parse> {
  const { Parser, Language, file } = await loadPackages();
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(file)));
  return (text) => parse(parser, text);
}

async function loadPackages() {
  try {
    const file = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
    return { ...(await import('web-tree-sitter')), file };
  } catch (cause) {
    throw packageMissing('judging commands needs', ['web-tree-sitter', 'tree-sitter-bash'], cause);
  }
}

function parse(parser: Parser, text: string): Node | undefined {
  if (text.split('<<').length > MOST_HEREDOCS) return undefined;
  let reports = 0;
  const tree = parser.parse(text, null, { progressCallback: () => ++reports > MOST_REPORTS });
  if (!tree) parser.reset();
  return tree?.rootNode;
}
