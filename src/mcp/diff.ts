/** What has changed in a tool's definition, line by line, for the person who is asked to agree. */

import type { ServerTool } from './types.ts';

/** Beyond this the two are shown one after the other: comparing them costs the product of their lengths. */
const MOST_LINES = 600;

/** Lines with `- `, `+ ` or two spaces before them; unchanged ones far from a change are left out. */
export function definitionDiff(before: ServerTool, after: ServerTool): string {
  return lineDiff(linesOf(before), linesOf(after)).join('\n');
}

function linesOf({ description, ...rest }: ServerTool): string[] {
  const text = (description ?? '').split('\n').map((line) => `description: ${line}`);
  return [...text, ...JSON.stringify(rest, null, 2).split('\n')];
}

function lineDiff(a: readonly string[], b: readonly string[]): string[] {
  if (a.length > MOST_LINES || b.length > MOST_LINES) return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  // common[i][j]: how many lines a.slice(i) and b.slice(j) have in common, in order.
  const common = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] = a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const lines: string[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i++;
      j++;
    } else if (j === b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!)) lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines.filter(
    (line, at) => !line.startsWith('  ') || lines.slice(Math.max(0, at - 2), at + 3).some((near) => !near.startsWith('  ')),
  );
}
