/** Untrusted results in a prompt stand between two marks that only this run knows; what looks like such a mark inside is none any more. */

import { fingerprint } from '../kernel/text.ts';
import type { State, ToolMessage } from '../kernel/types.ts';

/** The same for the same message of a run, so that a prompt keeps its front from step to step, after a resume and in a replay. */
export function bounded({ content, name, untrusted }: ToolMessage, { boundary, run_id }: State): string {
  if (!untrusted) return content;
  const mark = `untrusted-${boundary ?? fingerprint(run_id)}`; // logs of older versions have none
  const inside = content.replace(/<(?=\s*\/?\s*untrusted)/gi, '‹');
  return `<${mark} tool="${name}">\n${inside}\n</${mark}>`;
}
