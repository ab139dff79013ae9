/** The list of skills that a model can load, as it stands in the instructions. */

import { cut } from '../kernel/text.ts';

/** Reads what the catalogue lists. */
export const LOAD_SKILL = 'load_skill';
/** Characters of the catalogue, and those that a description keeps at least. */
const MOST_CATALOGUE = 8_000;
const LEAST_DESCRIPTION = 60;

/** One line a skill, by name. Long ones are shortened evenly; what does not fit at all is counted. */
export function catalogueOf(skills: readonly { name: string; description: string }[]): string {
  const sorted = skills.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const whole = sorted.map(({ name, description }) => `- ${name}: ${description}`);
  if (whole.join('\n').length <= MOST_CATALOGUE) return whole.join('\n');
  const names = sorted.reduce((sum, { name }) => sum + name.length + 6, 0);
  const each = Math.max(LEAST_DESCRIPTION, Math.floor((MOST_CATALOGUE - names) / sorted.length));
  const lines: string[] = [];
  let room = MOST_CATALOGUE;
  for (const { name, description } of sorted) {
    const line = `- ${name}: ${description.length <= each ? description : `${cut(description, each - 1)}…`}`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  return lines.length === sorted.length ? lines.join('\n') : [...lines, `- … +${sorted.length - lines.length}`].join('\n');
}
