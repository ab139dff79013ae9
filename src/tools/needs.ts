/** What a tool needs before it can work, and the environment variables that it may read: those it names, and those that the user gives it. */

import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { Tool } from './define.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A need in capitals is an environment variable, any other a setting of [tools.NAME]. */
const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

/** What has to be set for this tool, in one line; undefined = nothing is missing. */
export function lackOf({ info, settings: { needs = [] } }: Tool, settings: JsonObject, env: Environment): string | undefined {
  const has = (name: string) => !isEmpty(VARIABLE.test(name) ? env[name] : settings[name]);
  const lacking = needs.map((one) => [one].flat()).filter((names) => !names.some(has));
  if (lacking.length === 0) return undefined;
  const place = (name: string) => (VARIABLE.test(name) ? name : `[tools.${info.name}] ${name}`);
  return `${info.name} is not set up: set ${lacking.map((names) => names.map(place).join(' or ')).join(', and ')}`;
}

/** The names of its settings [tools.NAME]; undefined = it does not say which there are. */
export function settingNamesOf({ settings: { needs = [], settingNames } }: Tool): readonly string[] | undefined {
  return settingNames && [...new Set([...settingNames, ...needs.flat().filter((name) => !VARIABLE.test(name))])];
}

/** The variables of the tool's needs, those that a setting `*_env` names, and those of the setting `env = [...]`. No others. */
export function environmentOf({ settings: { needs = [] } }: Tool, settings: JsonObject, env: Environment): Record<string, string> {
  const names = [...needs.flat().filter((name) => VARIABLE.test(name)), ...namedVariables(settings)];
  return Object.fromEntries(names.flatMap((name) => (isEmpty(env[name]) ? [] : [[name, env[name] as string]])));
}

/** Names of environment variables in a tool's settings, also in tables within them. */
export function namedVariables(settings: JsonObject): string[] {
  return Object.entries(settings)
    .flatMap(([name, value]) => {
      if (name === 'env' || name.endsWith('_env')) return [value].flat();
      return isObject(value) ? namedVariables(value as JsonObject) : [];
    })
    .filter((value) => typeof value === 'string');
}

/** A setting of [tools.NAME] that has no good value; `got`: told where it may be shown. */
export function badSetting(tool: string, name: string, expected: string, got?: unknown): HermesError {
  const came = got === undefined ? '' : `, got ${JSON.stringify(got)}`;
  return new HermesError('bad_setting', `[tools.${tool}] ${name}: expected ${expected}${came}`, {
    kind: 'usage',
    next: 'tell the user to mend it in hermes_config.toml',
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}
