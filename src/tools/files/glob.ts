/** Names by pattern, as git and shells have them. Linear in the name, whatever the pattern. */

/**
 * `*` and `?` within one part of a path, `**` over any number of parts, `[a-z]` and `[!a-z]`, `{a,b}`; `\` takes the next character as it
 * is. A pattern without / is about the last part alone.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const forms = spread(pattern).map((form) => (form.includes('/') ? form.replace(/^\.?\//, '') : `**/${form}`).split('/'));
  return (path) => {
    const parts = path.split('/');
    return forms.some((form) => matchesParts(form, parts));
  };
}

/** Most patterns that the braces of one stand for. */
const MOST_FORMS = 64;

/** One pattern for each choice in braces. */
function spread(pattern: string): string[] {
  let forms = [pattern];
  for (;;) {
    const next = forms.flatMap((form) => {
      const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(form) ?? [];
      return whole === undefined ? [form] : inner!.split(',').map((choice) => form.replace(whole, () => choice));
    });
    if (next.length === forms.length || next.length > MOST_FORMS) return forms;
    forms = next;
  }
}

/** Two pointers, and one place to come back to for each kind of star: the last `**`, as only the last can still move. */
export function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  let [at, part, star, from] = [0, 0, -1, 0];
  while (part < parts.length) {
    if (pattern[at] === '**') [star, from, at] = [at, part, at + 1];
    else if (at < pattern.length && matchesName(pattern[at]!, parts[part]!)) [at, part] = [at + 1, part + 1];
    else if (star >= 0) [at, part, from] = [star + 1, from + 1, from + 1];
    else return false;
  }
  while (pattern[at] === '**') at += 1;
  return at === pattern.length;
}

function matchesName(pattern: string, name: string): boolean {
  const letters = [...name];
  const tokens = tokensOf(pattern);
  let [at, letter, star, from] = [0, 0, -1, 0];
  while (letter < letters.length) {
    if (tokens[at] === '*') [star, from, at] = [at, letter, at + 1];
    else if (at < tokens.length && fits(tokens[at]!, letters[letter]!)) [at, letter] = [at + 1, letter + 1];
    else if (star >= 0) [at, letter, from] = [star + 1, from + 1, from + 1];
    else return false;
  }
  while (tokens[at] === '*') at += 1;
  return at === tokens.length;
}

const known = new Map<string, string[]>();

/** `*`, `?`, a class `[...]`, or one character with a \ before it. */
function tokensOf(pattern: string): string[] {
  const found = known.get(pattern);
  if (found) return found;
  const tokens = (pattern.match(/\[[!^]?\]?[^\]]*\]|\\.|./gsu) ?? []).map((token) => {
    if (token === '*' || token === '?' || (token.length > 2 && token.startsWith('['))) return token;
    return token.length > 1 && token.startsWith('\\') ? token : `\\${token}`;
  });
  if (known.size > 1000) known.clear();
  known.set(pattern, tokens);
  return tokens;
}

function fits(token: string, letter: string): boolean {
  if (token === '?') return true;
  if (!token.startsWith('[')) return token === `\\${letter}`;
  const isNot = token[1] === '!' || token[1] === '^';
  const members = token.slice(isNot ? 2 : 1, -1).matchAll(/(.)-(.)|(.)/gsu);
  const isIn = [...members].some(([, first, last, one]) => (one === undefined ? first! <= letter && letter <= last! : one === letter));
  return isIn !== isNot;
}
