/** The permissions of an agent, with the rules that people add while it works ("always"). */

import { exactRule, type PermissionRules } from '../guards/permissions.ts';
import type { Call, Rules, State } from '../kernel/types.ts';
import type { Tool } from '../tools/define.ts';
import { defined } from './defined.ts';

export interface Permits {
  rules: Pick<Rules, 'permit' | 'question'>;
  /** Holds from now on, in every run of this agent. */
  allow(rule: string): void;
}

/** `make`: the permissions with these more rules in `allow`. */
export function createPermits(
  make: (more: readonly string[]) => Permits['rules'],
  { subject, code }: Required<Pick<PermissionRules, 'subject' | 'code'>>,
): Permits {
  const added: string[] = [];
  let rules = make(added);

  /** What "always" would write; undefined where that would not help: what hooks, judges and origins ask about is asked every time. */
  function always(state: State, call: Call): string | undefined {
    const rule = exactRule(call, subject(call.name), code(call.name));
    return rule !== undefined && make([...added, rule]).permit(state, call).decision === 'allow' ? rule : undefined;
  }

  return {
    rules: {
      permit: (state, call) => rules.permit(state, call),
      question: (state, call) => ({ ...rules.question?.(state, call), ...defined({ always: always(state, call) }) }),
    },
    allow(rule) {
      added.push(rule);
      rules = make(added);
    },
  };
}

/**
 * What a rule TOOL:PATTERN speaks of: the first argument that the tool declares (a path, a command, an address). What a rule TOOL@CODE
 * holds for.
 */
export function factsOf(tools: readonly Tool[]): Required<Pick<PermissionRules, 'subject' | 'code'>> {
  const subjects = new Map(tools.map(({ info }) => [info.name, Object.keys(info.input_schema.properties ?? {})[0]]));
  const codes = new Map(tools.map(({ info, code }) => [info.name, code?.loaded.slice(0, 16)]));
  return { subject: (name) => subjects.get(name), code: (name) => codes.get(name) };
}
