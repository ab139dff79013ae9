/** How deep brackets are nested in a text: parsers that call themselves end the whole program on what is made for that. */

/** An upper bound: brackets in strings and comments count as well. */
export function bracketDepth(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if ('[{('.includes(character)) most = Math.max(most, ++depth);
    else if (']})'.includes(character) && depth > 0) depth--;
  }
  return most;
}
