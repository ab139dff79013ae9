/**
 * The process of one page: standard input is its address on a line (JSON) and its HTML, standard output a line of JSON for each page that
 * extractPage makes of it, the better one last. Started and ended by read.ts.
 */

import { readFileSync } from 'node:fs';
import { extractPage } from './extract.ts';

const input = readFileSync(0, 'utf8');
const end = input.indexOf('\n');
for (const page of extractPage(input.slice(end + 1), JSON.parse(input.slice(0, end)) as string)) {
  process.stdout.write(`${JSON.stringify(page)}\n`);
}
