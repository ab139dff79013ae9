/** From the tree of a command text to its simple commands, wherever they stand. */

import type { Node } from './grammar.ts';
import { readWord, readWords, type Variables, type Word } from './words.ts';

export interface Redirect {
  to: Word;
  writes: boolean;
}
export interface Simple {
  words: Word[];
  /** NAME=value in front of it, or of `export` and its like. */
  assignments: { name: string; value: Word }[];
  redirects: Redirect[];
  source: string;
  /** Where its standard input comes from, when it is not the caller's. */
  stdin?: 'pipe' | 'text' | 'file';
  /** The text that it is fed, when it is known. */
  fed?: string;
  background: boolean;
}
export interface Script {
  commands: Simple[];
  /** Only simple commands, joined by && || ; | and lines: what can be read at a glance. */
  isPlain: boolean;
  /** Functions that the text defines, and whether one starts itself in a pipe or in the background. */
  functions: Set<string>;
  multiplies: boolean;
  /** The grammar did not understand all of it, or it is nested too deeply. */
  isUnclear: boolean;
}

const PLAIN = new Set(
  'program list pipeline command command_name redirected_statement file_redirect file_descriptor comment'
    .split(' ')
    .concat('word number string string_content raw_string concatenation simple_expansion variable_name'.split(' ')),
);
const MOST_NODES = 20_000;
const MOST_DEPTH = 150;

interface Place {
  depth: number;
  stdin?: Simple['stdin'];
  fed?: string;
  redirects: readonly Redirect[];
  background: boolean;
  within?: string;
}

export function readScript(root: Node): Script {
  const reader = new Reader();
  reader.script.isUnclear = root.hasError;
  reader.visit(root, { depth: 0, redirects: [], background: false });
  return reader.script;
}

class Reader {
  readonly script: Script = { commands: [], isPlain: true, functions: new Set(), multiplies: false, isUnclear: false };
  readonly #variables: Variables = new Map();
  #nodes = 0;

  visit(node: Node, place: Place): void {
    const inside = { ...place, depth: place.depth + 1 };
    if (++this.#nodes > MOST_NODES || place.depth > MOST_DEPTH) {
      this.script.isUnclear = true;
      return;
    }
    if (node.isNamed && !PLAIN.has(node.type)) this.script.isPlain = false;
    if (node.type === 'command' || node.type === 'declaration_command' || node.type === 'unset_command') this.#command(node, inside);
    else if (node.type === 'variable_assignment') this.#assign(node, inside);
    else if (node.type === 'redirected_statement') this.#redirected(node, inside);
    else if (node.type === 'function_definition') this.#define(node, inside);
    else if (node.type === 'for_statement') this.#loop(node, inside);
    else this.#children(node, inside);
  }

  /** `&` after a child sends it to the background; in a pipeline all but the first read what the one before writes. */
  #children(node: Node, place: Place): void {
    const children = node.children.filter((child) => child !== null);
    const isPipeline = node.type === 'pipeline';
    let isPiped = false;
    children.forEach((child, index) => {
      const background = place.background || children[index + 1]?.type === '&';
      if (child.isNamed || child.childCount > 0)
        this.visit(child, { ...place, background, ...(isPiped && isPipeline ? { stdin: 'pipe' } : {}) });
      else if (child.type === '|' || child.type === '|&') isPiped = true;
    });
  }

  #redirected(node: Node, place: Place): void {
    const [body, ...rest] = node.namedChildren.filter((child) => child !== null);
    let inner = place;
    const extra: Word[] = [];
    for (const redirect of rest) inner = this.#redirect(redirect, inner, extra);
    const before = this.script.commands.length;
    if (body && !/redirect$/.test(body.type)) this.visit(body, inner);
    else this.#bare(node, body ? this.#redirect(body, inner, extra) : inner);
    this.script.commands[this.script.commands.length - 1]?.words.push(...extra);
    if (this.script.commands.length === before) this.#bare(node, inner);
  }

  /** Only redirections, no command: `> file` empties it. */
  #bare(node: Node, place: Place): void {
    this.script.commands.push({ words: [], assignments: [], source: node.text, ...settingOf(place) });
  }

  /** The place inside a redirection. `extra` gets the words after its target, which are the command's: `find . 2>/dev/null -delete`. */
  #redirect(node: Node, place: Place, extra: Word[]): Place {
    if (node.type === 'heredoc_redirect') {
      const body = node.namedChildren.find((child) => child?.type === 'heredoc_body');
      const others = node.namedChildren.filter((child) => child && !/^heredoc|^file_descriptor$/.test(child.type));
      this.script.isPlain = false;
      for (const child of body?.namedChildren ?? []) if (child && child.type !== 'heredoc_content') this.visit(child, apart(place));
      let inner: Place = { ...place, stdin: 'text', fed: body?.text ?? '' };
      for (const other of others) {
        if (!other) continue;
        if (/redirect$/.test(other.type)) inner = this.#redirect(other, inner, extra);
        else if (WORDS.test(other.type)) extra.push(...readWords(other, this.#variables));
        else this.visit(other, { ...apart(place), stdin: 'pipe' });
      }
      return inner;
    }
    const [operator] = node.children.filter((child) => child && !child.isNamed);
    const [target, ...more] = node.namedChildren.filter((child) => child !== null && child.type !== 'file_descriptor') as Node[];
    if (!target) return place;
    this.#inside(target, place);
    for (const word of more) {
      this.#inside(word, place);
      extra.push(...readWords(word, this.#variables));
    }
    const to = readWord(target, this.#variables);
    const sign = operator?.type ?? '';
    if (sign === '<<<') {
      this.script.isPlain = false;
      return { ...place, stdin: 'text', ...(to.exact ? { fed: to.text } : {}) };
    }
    if (/&$/.test(sign) && /^(?:\d+|-)$/.test(to.text)) return place; // 2>&1
    const writes = sign.includes('>');
    const inner = { ...place, redirects: [...place.redirects, { to, writes }] };
    return writes ? inner : { ...inner, stdin: 'file' };
  }

  #command(node: Node, place: Place): void {
    const command: Simple = { words: [], assignments: [], source: node.text, ...settingOf(place) };
    let inner = place;
    const extra: Word[] = [];
    this.script.commands.push(command);
    for (const child of node.children) {
      if (!child) continue;
      if (/redirect$/.test(child.type)) inner = this.#redirect(child, inner, extra);
      else if (child.type === 'variable_assignment') command.assignments.push(this.#assigned(child, place));
      else if (child.isNamed || child.type === 'export' || !/^[()]$/.test(child.type)) {
        this.#inside(child, place);
        command.words.push(...readWords(child, this.#variables));
      }
    }
    command.words.push(...extra);
    Object.assign(command, settingOf(inner));
    if (node.type !== 'command') for (const { name } of command.assignments) this.#variables.set(name, undefined);
    const name = command.words[0]?.text;
    if (place.within !== undefined && name === place.within && (place.background || place.stdin === 'pipe')) this.script.multiplies = true;
  }

  /** An assignment of its own: later words may use it. One that is set twice is not known. */
  #assign(node: Node, place: Place): void {
    const { name, value } = this.#assigned(node, place);
    this.#variables.set(name, this.#variables.has(name) || !value.exact ? undefined : value.text);
    this.script.commands.push({ words: [], assignments: [{ name, value }], source: node.text, ...settingOf(place) });
  }

  #assigned(node: Node, place: Place): { name: string; value: Word } {
    const [name, value] = node.namedChildren.filter((child) => child !== null);
    for (const child of [name, value]) if (child) this.#inside(child, place);
    const text = /^\w+/.exec(name?.text ?? '')?.[0] ?? '';
    const read: Word = value ? readWord(value, this.#variables) : { text: '', exact: true, glob: false, disguised: false };
    return { name: text, value: value?.type === 'array' ? { ...read, exact: false } : read };
  }

  #define(node: Node, place: Place): void {
    const name = node.childForFieldName('name')?.text ?? '';
    this.script.functions.add(name);
    const body = node.childForFieldName('body');
    if (body) this.visit(body, { ...place, within: name });
  }

  #loop(node: Node, place: Place): void {
    this.#variables.set(node.childForFieldName('variable')?.text ?? '', undefined);
    this.#children(node, place);
  }

  /** What words hold: commands in substitutions, at any depth. */
  #inside(node: Node, place: Place): void {
    if (/substitution$/.test(node.type)) this.visit(node, apart(place));
    else if (place.depth > MOST_DEPTH || ++this.#nodes > MOST_NODES) this.script.isUnclear = true;
    else for (const child of node.namedChildren) if (child) this.#inside(child, { ...place, depth: place.depth + 1 });
  }
}

const WORDS = /^(?:word|number|string|raw_string|ansi_c_string|concatenation|.*expansion)$/;

function settingOf({ redirects, background, stdin, fed }: Place) {
  return { redirects: [...redirects], background, ...(stdin ? { stdin } : {}), ...(fed === undefined ? {} : { fed }) };
}

/** A command inside another's words has its own input and output. */
function apart({ depth, background, within }: Place): Place {
  return { depth, background, redirects: [], ...(within === undefined ? {} : { within }) };
}
