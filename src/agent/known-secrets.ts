/** The secrets that the program knows of: they never reach store, log, trace or an error. */

import { isObject } from '../kernel/json.ts';
import type { JsonObject } from '../kernel/types.ts';
import { namedVariables } from '../tools/needs.ts';
import type { Config } from './config.ts';

type Environment = Config['env'];

const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)$|^PGPASSWORD$/i;
/** As settings are called, in any spelling: apiKey, api_key, token, client-secret. */
const SECRET_SETTING = /key|token|secret|passw|credential/i;
/** A file, and the name of a variable. */
const NO_SECRET = /^HERMES_LOGGING_SIGN_KEY$|_ENV$/;

/** name -> value. `keys`: variables that providers read their keys from; besides them, those that tools are given. */
export function knownSecrets(config: Config, keys: readonly string[]): Record<string, string> {
  const given = Object.values(config.toolSettings).flatMap(namedVariables);
  const found = secretVariables(config.env, new Set([...keys, ...given, config.values.model.api_key_env ?? '']));
  addPassword(found, 'model.base_url', config.values.model.base_url ?? '');
  for (const [tool, settings] of Object.entries(config.toolSettings)) addSettings(found, `tools.${tool}`, settings);
  return found;
}

/** Variables whose names say that they hold secrets, or that `names` has; and the passwords in addresses (proxies, databases). */
export function secretVariables(env: Environment, names: ReadonlySet<string> = new Set()): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (!value || NO_SECRET.test(name)) continue;
    if (names.has(name) || SECRET_NAME.test(name)) found[name] = value;
    else addPassword(found, name, value);
  }
  return found;
}

function addPassword(found: Record<string, string>, name: string, address: string): void {
  if (!address.includes('://') || !URL.canParse(address)) return;
  const { password } = new URL(address);
  if (password === '') return;
  found[name] = password;
  const plain = decoded(password);
  if (plain !== password) found[`${name} decoded`] = plain;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is a sign like others
  }
}

function addSettings(found: Record<string, string>, place: string, settings: JsonObject): void {
  for (const [name, value] of Object.entries(settings)) {
    const full = `${place}.${name}`;
    if (name.endsWith('_env')) continue; // the name of a variable, not what it holds
    if (typeof value === 'string' && SECRET_SETTING.test(name)) found[full] = value;
    else if (typeof value === 'string') addPassword(found, full, value);
    else if (isObject(value)) addSettings(found, full, value);
  }
}
