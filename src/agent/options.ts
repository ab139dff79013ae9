/** The check of an agent's options, at construction: one error that names the option, what was expected and what came. */

import { GUARD_NUMBERS } from '../guards/numbers.ts';
import { HermesError, nearest } from '../kernel/errors.ts';
import { isTool, type Tool } from '../tools/define.ts';
import { settingNamesOf } from '../tools/needs.ts';
import { GUARD_OPTIONS } from './guards.ts';
import { HOOK_NAMES } from './hooks.ts';
import type { AgentOptions } from './types.ts';

type Check = readonly [expected: string, fits: (value: unknown) => boolean];

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
const text: Check = ['a text', (value) => typeof value === 'string'];
const object: Check = ['an object', isObject];
const fn: Check = ['a function', (value) => typeof value === 'function'];
const atLeastOne: Check = ['a whole number from 1', (value) => Number.isInteger(value) && (value as number) >= 1];
const milliseconds: Check = [
  'milliseconds from 1 to 2147483647',
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) < 2 ** 31,
];
const names: Check = ['a list of texts', (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')];

const isHook = (name: string) => HOOK_NAMES.some((hook) => hook === name);

const CHECKS: Readonly<Record<keyof AgentOptions, Check>> = {
  model: ['provider:model or a model', (value) => typeof value === 'string' || isObject(value)],
  instructions: text,
  instructionFiles: ['a list of { path, text, hash, bytes }', Array.isArray],
  skills: ['a list of { name, description }', Array.isArray],
  tools: ['a list of tools made by tool({...})', (value) => Array.isArray(value) && value.every(isTool)],
  liveTools: fn,
  preselect: ['a whole number from 0', (value) => Number.isInteger(value) && (value as number) >= 0],
  protocol: ['auto, native, json, react or guided', (value) => ['auto', 'native', 'json', 'react', 'guided'].includes(value as string)],
  store: ['an event store', isObject],
  onApproval: fn,
  permissions: object,
  guards: object,
  limits: object,
  temperature: ['a number from 0 to 2', (value) => typeof value === 'number' && value >= 0 && value <= 2],
  maxTokens: atLeastOne,
  reasoning: [
    'provider-default, none, minimal, low, medium, high, xhigh or max',
    (value) => ['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].includes(value as string),
  ],
  fallback: ['a list of models', Array.isArray],
  prices: object,
  workspace: text,
  codeFolders: names,
  toolTimeoutMs: milliseconds,
  resultCharacters: ['a whole number from 200', (value) => Number.isInteger(value) && (value as number) >= 200],
  readBack: ['true or false', (value) => typeof value === 'boolean'],
  maxParallel: atLeastOne,
  timezone: text,
  toolSettings: object,
  language: ['zh or en', (value) => value === 'zh' || value === 'en'],
  templates: text,
  secrets: object,
  hooks: [
    `functions by name: ${HOOK_NAMES.join(', ')}`,
    (value) => isObject(value) && Object.entries(value).every(([name, hook]) => isHook(name) && (hook === undefined || fn[1](hook))),
  ],
  rules: object,
  performers: object,
  debugDirectory: text,
  baseURL: text,
  apiKey: text,
  apiKeyEnv: text,
  contextWindow: atLeastOne,
  timeouts: object,
  env: object,
  choice: object,
  pull: object,
  onNotice: fn,
  packagesFrom: ['a folder, or null', (value) => typeof value === 'string' || value === null],
};
const money: Check = ['an amount from 0', (value) => typeof value === 'number' && value >= 0];
const LIMITS: Readonly<Record<string, Check>> = {
  maxSteps: atLeastOne,
  runTokens: atLeastOne,
  runCost: money,
  dayTokens: atLeastOne,
  dayCost: money,
  currency: ['three letters such as USD', (value) => typeof value === 'string' && /^[A-Z]{3}$/.test(value)],
  unknownPrice: ['note or refuse', (value) => value === 'note' || value === 'refuse'],
  maxSeconds: ['seconds above 0', (value) => typeof value === 'number' && value > 0],
};
const TIMEOUTS: Readonly<Record<string, Check>> = {
  connect: milliseconds,
  firstByte: milliseconds,
  wholeAnswer: milliseconds,
  silence: milliseconds,
};
const PERMISSIONS: Readonly<Record<string, Check>> = {
  whiteList: names,
  allow: names,
  ask: names,
  deny: names,
  approvalDays: ['days, 0 = for ever', (value) => typeof value === 'number' && value >= 0 && value <= 36_500],
};

const count: Check = ['a whole number, 0 = off', (value) => Number.isInteger(value) && (value as number) >= 0];
const flag: Check = ['true or false', (value) => typeof value === 'boolean'];
const GUARDS: Readonly<Record<string, Check>> = Object.fromEntries(
  [...GUARD_OPTIONS].map(([option, name]) => [option, typeof GUARD_NUMBERS[name] === 'boolean' ? flag : count]),
);

export function checkOptions(options: AgentOptions): void {
  if (!isObject(options)) throw wrong('options', 'an object', options);
  check('', options, CHECKS);
  if (options.limits) check('limits.', options.limits, LIMITS);
  if (options.guards) check('guards.', options.guards, GUARDS);
  if (options.permissions) check('permissions.', options.permissions, PERMISSIONS);
  if (options.timeouts) check('timeouts.', options.timeouts, TIMEOUTS);
  for (const tool of options.tools ?? []) checkSettings(tool, options.toolSettings?.[tool.info.name]);
}

function check(prefix: string, values: object, checks: Readonly<Record<string, Check>>): void {
  for (const [name, value] of Object.entries(values)) {
    const known = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!known) throw unknown(prefix, name, Object.keys(checks));
    if (value !== undefined && !known[1](value)) throw wrong(`${prefix}${name}`, known[0], value);
  }
}

function checkSettings(tool: Tool, settings: object = {}): void {
  const known = settingNamesOf(tool);
  const wrong = known && Object.keys(settings).find((name) => !known.includes(name));
  if (wrong !== undefined) throw unknown(`toolSettings.${tool.info.name}.`, wrong, [...known!]);
}

function unknown(prefix: string, name: string, known: string[]): HermesError {
  const near = nearest(name, known);
  return new HermesError('unknown_option', `Agent has no option ${prefix}${name}`, {
    kind: 'usage',
    next: near ? `did you mean ${prefix}${near}?` : `it has ${known.join(', ') || 'none'}`,
  });
}

function wrong(name: string, expected: string, value: unknown): HermesError {
  const got =
    typeof value === 'object' || typeof value === 'function' ? (Array.isArray(value) ? 'a list' : typeof value) : JSON.stringify(value);
  return new HermesError(
    'bad_option',
    `Agent option ${name}: expected ${expected}, got ${name.startsWith('apiKey') ? typeof value : got}`,
    {
      kind: 'usage',
      next: 'mend it in new Agent({ ... })',
    },
  );
}
