/** What a statement says outside of texts and comments, as PostgreSQL reads it. */

/**
 * In this order: comment to the end of the line, comment, texts (escaped, plain, in dollars), name in quotes, word, any other sign. A word
 * may hold any character beyond ASCII, and $.
 */
const TOKEN =
  /--[^\n\r]*|(\/\*[\s\S]*?(?:\*\/|$))|[eE]'(?:[^'\\]|\\[\s\S]|'')*'?|'(?:[^']|'')*'?|(\$(?:[a-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$)[\s\S]*?(?:\2|$)|("(?:[^"]|"")*"?)|([a-z_\u{80}-\u{10ffff}][\w$\u{80}-\u{10ffff}]*)|(\S)/giu;

/** Folded words, names in quotes as they are, and signs. undefined: it cannot be told for sure (comments within comments, escaped names). */
export function wordsOf(sql: string): string[] | undefined {
  const words: string[] = [];
  for (const [, comment, , quoted, word, sign] of sql.matchAll(TOKEN)) {
    if (comment?.includes('/*', 2)) return undefined;
    if (quoted !== undefined && words.at(-1) === '&' && words.at(-2) === 'u') return undefined;
    if (quoted !== undefined) words.push(quoted.slice(1, -1).replaceAll('""', '"'));
    else if (word !== undefined) words.push(word.toLowerCase());
    else if (sign !== undefined) words.push(sign);
  }
  return words;
}
