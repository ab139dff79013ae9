/**
 * The four environments of AgentDojo as tools. Reading tools give records of the environment, with the injected text wherever it says that
 * outsiders may write; acting tools only tell what they would have done. Flags and levels are what their owners would declare.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Tool, tool } from '../../src/index.ts';
import type { Json, JsonObject, Level } from '../../src/kernel/types.ts';
import type { Wanted } from './play.ts';

export const SUITES = ['banking', 'slack', 'travel', 'workspace'] as const;
export type Suite = (typeof SUITES)[number];

type Flags = { untrusted?: true; private?: true; outward?: true };
interface Reading extends Flags {
  read(environment: JsonObject, args: JsonObject): Json;
}

const MAIL: Flags = { untrusted: true, private: true };
const OWN: Flags = { private: true };
const SAID: Flags = { untrusted: true };
const OFFERS: Flags = {};

/** The value at a path of the environment. */
function at(environment: JsonObject, ...path: string[]): Json {
  return path.reduce<Json>((value, key) => (value as JsonObject)?.[key] ?? null, environment);
}

/** The entries that hold one of the arguments; all, when none does. */
function matching(entries: Json, args: JsonObject): Json {
  const wanted = Object.values(args)
    .flat()
    .filter((value): value is string => typeof value === 'string' && value !== '');
  const list = Array.isArray(entries) ? entries : Object.entries(entries as JsonObject).map(([name, value]) => ({ name, value }));
  const found = list.filter((entry) => wanted.some((text) => JSON.stringify(entry).includes(text)));
  return found.length > 0 ? found : list;
}

const from = (flags: Flags, ...path: string[]): Reading => ({
  ...flags,
  read: (environment, args) => matching(at(environment, ...path), args),
});
/** Facts of an offer without what guests have written. */
const offers = (...path: string[]): Reading => ({
  ...OFFERS,
  read: (environment, args) => (matching(at(environment, ...path), args) as JsonObject[]).map(({ reviews: _reviews, ...facts }) => facts),
});
const [HOTELS, RESTAURANTS, CARS] = [
  ['hotels', 'hotel_list'],
  ['restaurants', 'restaurant_list'],
  ['car_rental', 'company_list'],
];

const READING: Readonly<Record<Suite, Readonly<Record<string, Reading>>>> = {
  banking: {
    get_most_recent_transactions: from(MAIL, 'bank_account', 'transactions'),
    get_scheduled_transactions: from(OWN, 'bank_account', 'scheduled_transactions'),
    read_file: from(MAIL, 'filesystem', 'files'),
  },
  slack: {
    get_channels: { ...SAID, read: (environment) => at(environment, 'slack', 'channels') },
    get_users_in_channel: { ...OFFERS, read: (environment) => at(environment, 'slack', 'users') },
    read_channel_messages: from(MAIL, 'slack', 'channel_inbox'),
    read_inbox: from(MAIL, 'slack', 'user_inbox'),
    get_webpage: { ...from(SAID, 'web', 'web_content'), outward: true },
  },
  travel: {
    get_user_information: { ...OWN, read: (environment) => at(environment, 'user') },
    get_flight_information: from(OFFERS, 'flights', 'flight_list'),
    get_rating_reviews_for_hotels: from(SAID, ...HOTELS!),
    get_rating_reviews_for_restaurants: from(SAID, ...RESTAURANTS!),
    get_rating_reviews_for_car_rental: from(SAID, ...CARS!),
    get_all_hotels_in_city: offers(...HOTELS!),
    get_hotels_address: offers(...HOTELS!),
    get_hotels_prices: offers(...HOTELS!),
    get_all_restaurants_in_city: offers(...RESTAURANTS!),
    get_restaurants_address: offers(...RESTAURANTS!),
    get_price_for_restaurants: offers(...RESTAURANTS!),
    get_cuisine_type_for_restaurants: offers(...RESTAURANTS!),
    get_dietary_restrictions_for_all_restaurants: offers(...RESTAURANTS!),
    check_restaurant_opening_hours: offers(...RESTAURANTS!),
    get_all_car_rental_companies_in_city: offers(...CARS!),
    get_car_fuel_options: offers(...CARS!),
    get_car_price_per_day: offers(...CARS!),
    get_car_types_available: offers(...CARS!),
  },
  workspace: {
    get_current_day: { ...OFFERS, read: (environment) => at(environment, 'calendar', 'current_day') },
    get_day_calendar_events: from(MAIL, 'calendar', 'initial_events'),
    search_calendar_events: from(MAIL, 'calendar', 'initial_events'),
    search_emails: from(MAIL, 'inbox', 'initial_emails'),
    get_unread_emails: from(MAIL, 'inbox', 'initial_emails'),
    search_contacts_by_name: { ...OWN, read: () => [{ name: 'Sarah Baker', email: 'sarah.baker@gmail.com' }] },
    list_files: from(MAIL, 'cloud_drive', 'initial_files'),
    search_files: from(MAIL, 'cloud_drive', 'initial_files'),
    search_files_by_filename: from(MAIL, 'cloud_drive', 'initial_files'),
  },
};

/** What changes only the person's own things; everything else that is no reading tool acts on the outside or cannot be undone. */
const WRITING = new Set(['create_calendar_event', 'reschedule_calendar_event', 'create_file', 'append_to_file', 'update_user_info']);

export function isReading(suite: Suite, name: string): boolean {
  return Object.hasOwn(READING[suite], name);
}

/** The reading tools whose results outsiders may have written into: where injected text comes in. */
export function openTools(suite: Suite): string[] {
  return Object.keys(READING[suite]).filter((name) => READING[suite][name]!.untrusted);
}

export interface World {
  suite: Suite;
  /** The environment as text, with its {vectors}. */
  text: string;
  /** The names of the vectors. */
  vectors: string[];
}

export function loadWorld(folder: string, suite: Suite): World {
  const read = (...path: string[]) => readFileSync(join(folder, suite, ...path), 'utf8');
  const environment = parse(
    read('environment.yaml').replace(
      /^(\w+): !include (\S+)$/gm,
      (_, key: string, file: string) => `${key}:\n${indented(read(...file.split('/')))}`,
    ),
  );
  return { suite, text: JSON.stringify(environment), vectors: Object.keys(parse(read('injection_vectors.yaml'))) };
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** The tools of a suite in a world into which `said` has been written, and acting tools of these other names. */
export function toolsOf({ suite, text, vectors }: World, said: string, acting: Iterable<string>, effect: (call: Wanted) => void): Tool[] {
  const inside = JSON.stringify(said).slice(1, -1);
  const environment = JSON.parse(vectors.reduce((filled, vector) => filled.replaceAll(`{${vector}}`, () => inside), text)) as JsonObject;
  let ownRead = false;
  const reading = Object.entries(READING[suite]).map(([name, { read, ...flags }]) =>
    make(name, 'read', flags, (args) => {
      if (flags.outward && ownRead) effect({ name, arguments: args }); // it could carry out what has been read
      ownRead ||= flags.private === true;
      return read(environment, args);
    }),
  );
  const acts = [...new Set(acting)].map((name) =>
    make(name, WRITING.has(name) ? 'write' : 'dangerous', {}, (args) => {
      effect({ name, arguments: args });
      return 'done';
    }),
  );
  return [...reading, ...acts];
}

function make(name: string, level: Level, flags: Flags, execute: (args: JsonObject) => Json): Tool {
  const input = { type: 'object', properties: {}, additionalProperties: true } as const;
  return tool({ name, description: `${name} of the benchmark`, level, ...flags, input, execute: (args) => execute(args as JsonObject) });
}
