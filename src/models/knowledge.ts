/**
 * What was learnt about models by asking them, kept across processes in known.json in the models directory: parameters that
 * were refused, the address that worked, what a model can do. It only ever saves attempts: a file that is absent, broken or
 * not writable is worked without.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../kernel/types.ts';
import { modelsDirectory } from './catalogue.ts';
import type { Abilities, Habits } from './profile.ts';
import { habitsProblemOf } from './profile-check.ts';

/** Of which model: the base URL as it was configured (`local` for a model file), and the model's name. */
export interface Subject {
  baseURL: string;
  model: string;
}
export interface Known {
  /** The base URL that answers, where it is not the configured one. */
  base_url?: string;
  /** What refusals have taught; stands above the profile's habits. */
  habits?: Habits;
  abilities?: Abilities;
  /** What `hermes models test` found, in its own words. */
  test?: JsonObject;
  /** ISO day on which something was last learnt. */
  at?: string;
}

type KnownFile = Record<string, Known>;
/** After this time it is asked anew: servers are upgraded. */
const maxAgeDays = 90;

/** What is known of a model; {} when nothing is. Reads the file each time: it is called once a model is opened. */
export function knownOf(subject: Subject, env: NodeJS.ProcessEnv = process.env): Known {
  const known = read(fileOf(env))[keyOf(subject)];
  const age = Date.now() - Date.parse(known?.at ?? '');
  const isSound = known && age < maxAgeDays * 86_400_000 && habitsProblemOf(known.habits ?? {}) === undefined;
  return isSound ? known : {};
}

/** Adds to what is known; `habits` and `abilities` are merged key by key. Never throws. */
export function learn(subject: Subject, fact: Known, env: NodeJS.ProcessEnv = process.env): void {
  const file = fileOf(env);
  const all = read(file);
  const before = knownOf(subject, env);
  const merged: Known = { ...before, ...fact, at: new Date().toISOString().slice(0, 10) };
  if (fact.habits) merged.habits = { ...before.habits, ...fact.habits };
  if (fact.abilities) merged.abilities = { ...before.abilities, ...fact.abilities };
  all[keyOf(subject)] = merged;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeWhole(file, `${JSON.stringify(all, null, 1)}\n`);
  } catch {
    // A disk that takes nothing: it is learnt again next time.
  }
}

/** Readers see the old text or the new one, never half of it. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  try {
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The query of an address may hold a key. */
export function withoutQuery(baseURL: string): string {
  return baseURL.replace(/\?.*$/s, '');
}

function fileOf(env: NodeJS.ProcessEnv): string {
  return join(modelsDirectory(env), 'known.json');
}

function keyOf({ baseURL, model }: Subject): string {
  return `${withoutQuery(baseURL).replace(/\/+$/, '')} ${model}`;
}

function read(file: string): KnownFile {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, known]) => typeof known === 'object' && known !== null));
  } catch {
    return {}; // not there, or broken: it is written anew with the next thing that is learnt
  }
}
