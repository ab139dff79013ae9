/** Filters for streamed text: people see the answer as it is written, and nothing of the form around it. */

/** Shows the value of "answer" as it is written, and nothing else of the object. Keeps only what it still has to look at. */
export function answerOnly(): (piece: string) => string {
  let seen = '';
  let state: 'before' | 'inside' | 'after' = 'before';
  return (piece) => {
    if (state === 'after') return '';
    seen += piece;
    if (state === 'before') {
      const key = /"(?:answer|final_answer)"\s*:\s*"/.exec(seen);
      if (!key) {
        seen = seen.slice(-KEY_LENGTH);
        return '';
      }
      state = 'inside';
      seen = seen.slice(key.index + key[0].length);
    }
    const end = closingQuote(seen, 0);
    if (end >= 0) state = 'after';
    const stop = end >= 0 ? end : safeEnd(seen, 0);
    const shown = seen.slice(0, stop);
    seen = seen.slice(stop);
    return decode(shown);
  };
}

/** More than a key with the blanks around its colon takes. */
const KEY_LENGTH = 200;

function closingQuote(seen: string, from: number): number {
  for (let i = from; i < seen.length; i++) {
    if (seen[i] === '\\') i++;
    else if (seen[i] === '"') return i;
  }
  return -1;
}

/** Never inside an escape: `\`, `\u12`. */
function safeEnd(seen: string, from: number): number {
  const open = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(seen.slice(from));
  return open && (seen.slice(from, from + open.index).match(/\\+$/)?.[0].length ?? 0) % 2 === 0 ? from + open.index : seen.length;
}

/** Raw line breaks inside a JSON string are what models write; they are kept. */
function decode(escaped: string): string {
  const body = escaped.replace(/\n/g, '\\n').replace(/\r/g, '').replace(/\t/g, '\\t');
  try {
    return JSON.parse(`"${body}"`) as string;
  } catch {
    return escaped; // an escape that JSON does not know is shown as it was written
  }
}
