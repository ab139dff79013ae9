/** A sub-agent asks whom its parent asks, unless it has somebody of its own: how a parent lends its approver to such a tool. */

import type { Tool } from '../tools/define.ts';
import type { Approver } from './types.ts';

const borrowers = new WeakMap<Tool, (approver: Approver) => Tool>();

/** `made` can be made again with an approver. */
export function borrows(made: Tool, again: (approver: Approver) => Tool): Tool {
  borrowers.set(made, again);
  return made;
}

/** The tool as this parent uses it. Any tool that is no sub-agent comes back as it is. */
export function forParent(tool: Tool, approver: Approver | undefined): Tool {
  return (approver && borrowers.get(tool)?.(approver)) ?? tool;
}
