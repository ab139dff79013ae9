/** Two texts line by line: what is taken out and what comes in, with three lines around, for the person who is asked. */

const AROUND = 3;
/** Beyond so many pairs of lines the changed part is shown as taken out and put in as a whole: the search would take too long. */
const MOST_PAIRS = 1_000_000;

type Line = readonly [mark: ' ' | '-' | '+', text: string];

/** Empty when the texts are the same. Each part begins with the number of its first line in `before`. */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  const lines = compared(before.split('\n'), after.split('\n'));
  const near = lines.map((_, index) => lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(([mark]) => mark !== ' '));
  const shown: string[] = [];
  let number = 1;
  lines.forEach(([mark, text], index) => {
    if (near[index] && !near[index - 1]) shown.push(`@@ ${number} @@`);
    if (near[index]) shown.push(`${mark}${text}`);
    if (mark !== '+') number += 1;
  });
  return shown.join('\n');
}

function compared(a: readonly string[], b: readonly string[]): Line[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (texts: readonly string[]) => texts.map((text): Line => [' ', text]);
  return [
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

/** By the longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > MOST_PAIRS) return [...a.map((text): Line => ['-', text]), ...b.map((text): Line => ['+', text])];
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i]![j] = a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([' ', a[i++]!]);
      j += 1;
    } else if (i < a.length && (j >= b.length || longest[i + 1]![j]! >= longest[i]![j + 1]!)) lines.push(['-', a[i++]!]);
    else lines.push(['+', b[j++]!]);
  }
  return lines;
}
