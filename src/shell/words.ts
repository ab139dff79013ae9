/** The words of a command as the shell would hand them over, as far as the text alone tells. */

import type { Node } from './grammar.ts';

export interface Word {
  /** Without quotes and escapes; what only the running shell knows is UNKNOWN. */
  text: string;
  /** Nothing in it is UNKNOWN. */
  exact: boolean;
  /** Holds *, ?, [ or { unquoted: it may stand for other words. */
  glob: boolean;
  /** Written in pieces, with escapes or in codes, as nobody needs to. */
  disguised: boolean;
}

/** Stands for a part that is not known before the command runs. */
export const UNKNOWN = '\uFFFC';

/** Values of variables that the same text has set, by name; undefined = set, but not known. */
export type Variables = Map<string, string | undefined>;

/** For people: what is not known yet as an ellipsis. */
export function shown({ text }: Word): string {
  return text.replaceAll(UNKNOWN, '…');
}

export function plainWord(text: string): Word {
  return { text, exact: true, glob: false, disguised: false };
}

/** A node among a command's words. An unquoted variable falls apart at its blanks, as in the shell. */
export function readWords(node: Node, variables: Variables): Word[] {
  const word = readWord(node, variables);
  const isSplit = node.type === 'simple_expansion' && word.exact;
  const texts = isSplit ? word.text.split(/\s+/).filter((text) => text !== '') : [word.text];
  return texts.map((text) => ({ ...word, text, glob: word.glob || (isSplit && GLOB.test(text)) }));
}

const GLOB = /[*?[{]/;

export function readWord(node: Node, variables: Variables): Word {
  if (node.type === 'raw_string') return plainWord(node.text.slice(1, -1));
  if (node.type === 'ansi_c_string') return { ...plainWord(decodeAnsi(node.text.slice(2, -1))), disguised: true };
  if (node.type === 'string' || node.type === 'translated_string') return readString(node, variables);
  if (node.type === 'simple_expansion' || node.type === 'expansion') return fromText(variableIn(node, variables), true);
  if (node.type === 'concatenation' || node.type === 'command_name') return joined(node, variables);
  if (node.type === 'word' || node.type === 'number' || node.type === 'variable_name' || !node.isNamed) return readPlain(node.text);
  return fromText(undefined, true); // substitutions, arithmetic, brace ranges, patterns
}

function fromText(text: string | undefined, disguised: boolean): Word {
  return { text: text ?? UNKNOWN, exact: text !== undefined, glob: text === undefined, disguised };
}

function readPlain(source: string): Word {
  const text = source.replace(/\\(?:\n|([\s\S]))/g, (_, escaped: string | undefined) => escaped ?? '');
  const glob = GLOB.test(source.replace(/\\[\s\S]/g, ''));
  return { text, exact: true, glob, disguised: /\\[^\n]/.test(source) };
}

/** Between double quotes; the grammar leaves blanks between two expansions out of the tree, so texts are cut out by position. */
function readString(node: Node, variables: Variables): Word {
  const isWhole = node.type === 'string';
  const inner = isWhole ? node : (node.namedChildren[0] ?? node);
  return assemble(inner, variables, (text) => text.replace(/\\(?:\n|([$`"\\]))/g, (_, escaped: string | undefined) => escaped ?? ''), 1);
}

function joined(node: Node, variables: Variables): Word {
  if (node.childCount === 1) return readWord(node.children[0]!, variables);
  const word = assemble(node, variables, (text) => text, 0);
  return { ...word, disguised: word.disguised || node.children.some((child) => /string$/.test(child?.type ?? '')) };
}

/** Children that are known as words, and the plain text between them. `edge`: characters of quotes at both ends. */
function assemble(node: Node, variables: Variables, mend: (text: string) => string, edge: number): Word {
  const isQuoted = edge > 0;
  const source = node.text;
  const made: Word = { text: '', exact: true, glob: false, disguised: false };
  let at = edge;
  const literal = (end: number) => {
    const text = source.slice(at, end);
    made.text += mend(text);
    made.glob ||= !isQuoted && GLOB.test(text);
  };
  for (const child of node.namedChildren) {
    if (!child || child.type === 'string_content') continue;
    const start = child.startIndex - node.startIndex;
    literal(start);
    const word = readWord(child, variables);
    made.text += word.text;
    made.exact &&= word.exact;
    made.glob ||= word.glob && !isQuoted;
    made.disguised ||= word.disguised;
    at = child.endIndex - node.startIndex;
  }
  literal(source.length - edge);
  return made;
}

/** $NAME and ${NAME}; every other expansion computes something. */
function variableIn(node: Node, variables: Variables): string | undefined {
  const name = /^\$\{?(\w+)\}?$/.exec(node.text)?.[1];
  if (name === undefined) return undefined;
  if (variables.has(name)) return variables.get(name);
  if (name === 'HOME') return '~';
  return name === 'PWD' ? '.' : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** $'...': the escapes of C. */
function decodeAnsi(text: string): string {
  return text.replace(/\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3})|c(.)|([\s\S]))/gi, (...found) => {
    const [, hex, short, long, octal, control, other] = found as (string | undefined)[];
    const code = hex ?? short ?? long;
    if (code !== undefined) return Number.parseInt(code, 16) <= 0x10ffff ? String.fromCodePoint(Number.parseInt(code, 16)) : UNKNOWN;
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
    return ESCAPES[other!] ?? other!;
  });
}
