/** Doc comments: what stands before the tags, and the tags that a tool is made of. */

export interface Doc {
  /** The text before the first tag; lines of one paragraph are joined. */
  text: string;
  tags: Tag[];
}
export interface Tag {
  name: string;
  text: string;
}
/** A `@param` or `@property`. */
export interface NamedTag {
  /** With its dots: options.city */
  name: string;
  type?: string;
  /** `[name]`, `[name=default]`, `{type=}` or `{type|undefined}` */
  optional: boolean;
  /** As it is written. */
  default?: string;
  description: string;
}

/** Tags that also count behind a text on the same line, as in a comment of one line. */
const INLINE = /\s+(?=@(?:param|returns?|throws|level|example|keywords)\s)/g;

/** Reads what stands between the slashes of a doc comment, stars included. */
export function readDoc(comment: string): Doc {
  const lines = comment
    .replace(INLINE, '\n')
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*\*+ ?/, '').trimEnd());
  const body: string[] = [];
  const tags: Tag[] = [];
  for (const line of lines) {
    const tag = /^\s*@([\w-]+)\s?(.*)$/.exec(line);
    const last = tags.at(-1);
    if (tag) tags.push({ name: tag[1]!, text: tag[2]! });
    else if (last) last.text += `\n${line}`;
    else body.push(line);
  }
  return { text: joined(body.join('\n')), tags: tags.map(({ name, text }) => ({ name, text: text.trim() })) };
}

/** Lines of a paragraph as one; Chinese ones without a space between. */
export function joined(text: string): string {
  const paragraphs = text.trim().split(/\n\s*\n/);
  const between = /(?<=[\p{Script=Han}，。；：、！？）])\s*\n\s*(?=[\p{Script=Han}（])/gu;
  return paragraphs
    .map((one) =>
      one
        .trim()
        .replace(between, '')
        .replace(/\s*\n\s*/g, ' '),
    )
    .join('\n');
}

/** `{type} [name=default] - description`; undefined when no name is there. */
export function readNamedTag(text: string): NamedTag | undefined {
  const type = text.startsWith('{') ? balanced(text, '{', '}') : undefined;
  const rest = (type === undefined ? text : text.slice(type.length + 2)).trim();
  const bracketed = rest.startsWith('[') ? balanced(rest, '[', ']') : undefined;
  const written = bracketed ?? /^[\p{ID_Continue}$.[\]]+/u.exec(rest)?.[0];
  if (!written) return undefined;
  const [name, ...after] = written.split('=');
  const description = joined(rest.slice(written.length + (bracketed === undefined ? 0 : 2)).replace(/^\s*[-–—:：]?\s*/, ''));
  return {
    name: name!.trim().replaceAll('[]', ''),
    optional: bracketed !== undefined || (type !== undefined && /=$|^undefined\s*\||\|\s*undefined\s*(?:\||$)/.test(type)),
    description,
    ...(type === undefined ? {} : { type }),
    ...(after.length > 0 ? { default: after.join('=').trim() } : {}),
  };
}

/** What stands between the first bracket of a text and the one that closes it. */
function balanced(text: string, open: string, close: string): string | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === open) depth++;
    else if (text[at] === close && --depth === 0) return text.slice(1, at);
  }
  return undefined;
}

/** A text without the `{type}` it begins with. */
export function withoutType(text: string): string {
  const type = text.startsWith('{') ? balanced(text, '{', '}') : undefined;
  return type === undefined ? text : text.slice(type.length + 2).trim();
}

/** A type as JSDoc writes it, in TypeScript's words; what stands in quotes stays. */
export function typeScriptOf(type: string): string {
  return type
    .trim()
    .replace(/=$/, '')
    .replace(/^\.\.\.(.*)$/, '($1)[]')
    .replace(/^\?(.*)$|^(.*)\?$/, (_, behind?: string, before?: string) => `(${behind ?? before}) | null`)
    .replace(/^!/, '')
    .replace(/^\*$/, 'unknown')
    .replace(/'[^']*'|"[^"]*"|\bObject\.?<|\.<|\b(?:Object|String|Number|Boolean)\b/g, (part) => IN_TYPESCRIPT[part] ?? part);
}

const IN_TYPESCRIPT: Readonly<Record<string, string>> = {
  '.<': '<',
  'Object<': 'Record<',
  'Object.<': 'Record<',
  Object: 'object',
  String: 'string',
  Number: 'number',
  Boolean: 'boolean',
};
