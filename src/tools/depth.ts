/** How deep brackets are nested in a text: parsers that call themselves end the whole program on what is made for that. */

/** An upper bound: brackets in strings and comments count as well. */
export function bracketDepth(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5b || unit === 0x7b || unit === 0x28) most = Math.max(most, ++depth);
    else if ((unit === 0x5d || unit === 0x7d || unit === 0x29) && depth > 0) depth--;
  }
  return most;
}

/** Of JSON, exactly: what stands in its texts (a row of sad faces) nests nothing. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let most = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) inText = !inText;
    else if (inText && unit === 0x5c) at++;
    else if (!inText && (unit === 0x5b || unit === 0x7b)) most = Math.max(most, ++depth);
    else if (!inText && (unit === 0x5d || unit === 0x7d)) depth--;
  }
  return most;
}
