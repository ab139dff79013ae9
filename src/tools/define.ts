/** `tool({...})`: what a tool declares, and what it is handed when it runs. The same for built-in tools and users' own. */

import { HermesError, nearest } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { stableJson } from '../kernel/text.ts';
import type { CallRecord, EventData, Json, JsonObject, Level, Source, State, ToolExample, ToolInfo } from '../kernel/types.ts';
import type { FetchOptions, WebResponse } from '../network/fetch.ts';
import {
  type ArgumentsOf,
  hasDefaults,
  type InputSchema,
  isStandard,
  issueLines,
  type StandardSchema,
  schemaProblems,
  toJsonSchema,
  withDefaults,
} from './schema.ts';

export interface ToolDefinition<Schema extends InputSchema = InputSchema> {
  /** Letters, digits, - and _, at most 64: what providers accept. */
  name: string;
  /** When to use it, when not, what it gives, its limits. */
  description: string;
  /** Standard Schema (zod 4.2+, arktype, ...) or JSON Schema with `type: "object"`. */
  input: Schema;
  /** JSON Schema of the result; told to people and programs, not enforced. */
  output?: JsonObject;
  /** read = looks only; write = changes the workspace or a store; dangerous = acts on the outside. */
  level: Level;
  /** Milliseconds a call may take; default: the toolbox's, 15,000. */
  timeoutMs?: number;
  /** A repeat with the same key is safe: it is repeated after a crash. Default: true for `read`, else false. */
  idempotent?: boolean;
  /** Errors by whose code the tool says that the same call may be made again, and how often (default 2, 0 = never). */
  retry?: ToolRetry;
  /** Error codes after which no further call can succeed in this run: the tool is closed at once. An error with `final: true` does the same. */
  fatalCodes?: readonly string[];
  /** Characters of a result that the model sees; the rest is kept and can be read back. Default: the toolbox's, 2,000. */
  resultCharacters?: number;
  /** A longer result is told in a model's words, made by one more model call, instead of by its shape. Default false. */
  summarise?: boolean;
  /** Calls of one group run together, groups one after another; absent = with all others. */
  parallelGroup?: string;
  /** Calls that name the same resource never overlap. */
  resource?: string;
  /** Most calls in one run; default: no limit of its own. */
  maxCalls?: number;
  /**
   * What has to be set before it works: settings of [tools.NAME], and environment variables in capitals, which it may read then; a list
   * within the list names alternatives. A tool that lacks one is listed with the reason, and not offered to models.
   */
  needs?: readonly (string | readonly string[])[];
  /** All settings of [tools.NAME] that it reads, besides those of `needs`: any other there is told as a mistake. Absent = it does not say. */
  settingNames?: readonly string[];
  /** Other names that models use for an argument: { location: 'city' }. */
  aliases?: Readonly<Record<string, string>>;
  /**
   * Required arguments that may be filled, when the model leaves them out, with what the user's own words state in one way: a member of
   * the `enum`, a word that the `pattern` describes (never digits alone), or what the `format` finds (email, uri, time-zone, arithmetic).
   */
  fromConversation?: readonly string[];
  /** Mends the arguments before they are validated; gives back all of them. */
  normalize?(args: JsonObject): JsonObject | Promise<JsonObject>;
  /** Looks at valid arguments before the call is permitted, and says what this call would do; it starts and changes nothing. */
  judge?(args: ArgumentsOf<Schema>, context: JudgeContext): Judgement | Promise<Judgement>;
  /** Lets go of what it keeps between calls: of a run that has ended, or of all without an id. Not for tools in users' files, whose thread ends. */
  release?(runId?: string): Promise<void>;
  /** Requests that this tool answers, usual ones and edge cases. */
  examples?: readonly ToolExample[];
  /** Words that point to this tool, in every language; used by pre-selection only. */
  keywords?: string;
  /** Its results hold text that people outside wrote: web pages, mails, tickets. From then on the run asks before it acts. Default false. */
  untrusted?: boolean;
  /** Its results hold what is the user's own: files, notes, mails, calendars. Default false. */
  private?: boolean;
  /** Its calls carry their arguments out of this machine although it only looks: a fetch, a search. Dangerous tools always do. Default false. */
  outward?: boolean;
  /** Gives the data; what it throws becomes an error result with its `code`, or `tool_failed`. */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): unknown;
}

/**
 * Calls that only look or are idempotent are tried again after errors that pass by themselves (network, rate limit, busy, an error with
 * `retryable: true`), within their time limit. Any other call only after the codes named here.
 */
export interface ToolRetry {
  /** Further attempts; default 2. */
  times?: number;
  /** Codes that pass, besides the usual ones, and after which a repeat is safe: nothing was done. */
  codes?: readonly string[];
}

/** What one call would do. A judge that throws refuses the call. */
export interface Judgement {
  /** Takes the place of the tool's own level for this call. */
  level: Level;
  /** Why a person has to look at it, whatever the rules allow. */
  ask?: string;
  /** Why it is not run at all; told to the model. */
  deny?: string;
  /** What would happen, for the person who is asked: a diff, a parsed command. */
  preview?: string;
  /** Not a yes or no, but a person's words: `execute` gets them as `answer`. Goes with `ask`. */
  wants?: 'answer';
}
export type JudgeContext = Pick<RunContext, 'workspace' | 'settings' | 'codeFolders'> & {
  /** The finished calls of this run, and those of the same reply that come before this one, as if they had succeeded. */
  readonly calls: readonly CallRecord[];
  /** Of the person who reads the question. */
  readonly language: 'zh' | 'en';
  readonly runId: string;
};

/** What `execute` is handed besides the arguments. To be handed on as it is: a copy made with `{ ...context }` has none of its functions. */
export interface ToolContext {
  /** Aborted at the time-out and when the run is aborted. */
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The same for every attempt of this call, also after a crash: hand it to services that know idempotency keys. */
  readonly key: string;
  readonly runId: string;
  /** What a person has answered, for a call whose judge `wants` it. */
  readonly answer?: string;
  /** A person, and not a rule alone, has said yes to this very call. */
  readonly approved?: true;
  /** Shows people how far it is; not kept. */
  progress(data: Json): void;
  /** Starts a process: a string through the shell, an array as it is. Whatever it starts ends with the call. */
  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /**
   * Fetches a web address, never one of this machine or a private network. Ends with the call. What comes is untrusted, and so is the
   * tool's result then, unless the host stands in `trusted_hosts` of the tool's settings.
   */
  fetch(address: string | URL, options?: FetchOptions): Promise<WebResponse>;
  readonly context: RunContext;
}

export interface ExecOptions {
  /** Default: the workspace. */
  cwd?: string;
  /** Added to the program's own environment. */
  env?: Readonly<Record<string, string>>;
  /** The process gets `env` and nothing of the program's own environment. */
  onlyEnv?: boolean;
  /** Written to standard input; default: standard input is empty. */
  input?: string;
  /** Bytes kept of each of stdout and stderr; the rest is read and dropped. Default 1,000,000. */
  maxBytes?: number;
  /** Milliseconds; default: until the call ends. */
  timeoutMs?: number;
  limits?: ExecLimits;
}
/** Beyond one of these the process and its descendants are killed. Processes and memory are looked at ten times a second, on Linux. */
export interface ExecLimits {
  /** Alive at the same time. */
  processes?: number;
  /** Resident bytes of all together; what they share counts for each. */
  memoryBytes?: number;
  /** Bytes of stdout and stderr together, kept or dropped. */
  outputBytes?: number;
}
export interface ExecResult {
  /** null when a signal ended it. */
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  /** Output went beyond `maxBytes`. */
  truncated: boolean;
  /** The limit that ended it. */
  ended?: 'time' | keyof ExecLimits;
}

/** What the agent gives to every tool of a run. */
export interface RunContext {
  /** Absolute path of the folder that file tools stay in. */
  readonly workspace: string;
  /** Absolute paths of folders, there or not, whose code this program runs by itself: nobody writes there unasked. */
  readonly codeFolders: readonly string[];
  /** IANA name; absent = the system's. */
  readonly timezone?: string;
  /** The tool's own section [tools.NAME] of the configuration; {} when there is none. */
  readonly settings: JsonObject;
  /** Environment variables, also of .env: those of the tool's `needs`, and those that its settings name (`*_env`, `env`). */
  readonly env: Readonly<Record<string, string>>;
  readonly notes: Notes;
  /** The finished calls of this run so far. */
  calls(): Promise<readonly CallRecord[]>;
  /** Results that were too long to be shown whole. */
  readonly kept: KeptResults;
}
export interface KeptResults {
  /** Oldest first. */
  handles(): Promise<string[]>;
  /** undefined: there is none of this name. Without `text` it is not kept any more. */
  read(handle: string): Promise<{ name: string; text: string | undefined } | undefined>;
}
/** A small store of texts by key. */
export interface Notes {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
  list(): Promise<string[]>;
  delete(key: string): Promise<void>;
}

/** The plain data of a definition that rules and the caller need. */
export type ToolSettings = Pick<
  ToolDefinition,
  | 'timeoutMs'
  | 'idempotent'
  | 'retry'
  | 'fatalCodes'
  | 'resultCharacters'
  | 'summarise'
  | 'parallelGroup'
  | 'resource'
  | 'maxCalls'
  | 'needs'
  | 'settingNames'
  | 'aliases'
  | 'fromConversation'
  | 'output'
>;

/** Present in every copy of this package, so that a tool made by another copy is known as one. */
const TOOL = Symbol.for('hermes.tool');

/** What only the program's own tools see (sub-agents): what has entered the run, and a way to say more of the result. */
export interface Inside {
  readonly sources: readonly Source[];
  /** The run as it was when these calls began, and how many of them are sub-agents'. Absent in worker threads. */
  readonly caller?: { state: State; children: number };
  tell(more: ResultFacts): void;
}
/** What a call's end says besides its result. Several are united. */
export type ResultFacts = Pick<EventData['tool.end'], 'from' | 'untrusted' | 'private' | 'usage' | 'cost'>;

export interface Tool {
  readonly info: ToolInfo;
  readonly settings: ToolSettings;
  normalize?(args: JsonObject): JsonObject | Promise<JsonObject>;
  /** The tool's own checks after its JSON Schema: one line a problem, none = fine. */
  check?(args: JsonObject): string[] | Promise<string[]>;
  judge?(args: JsonObject, context: JudgeContext): Judgement | Promise<Judgement>;
  /** Owns `args`. `defer` registers what has to end with the call. */
  run(args: JsonObject, context: ToolContext, defer: (cleanup: () => Promise<void>) => void, inside: Inside): unknown;
  /** Of a user's file: the hash of its code as it was loaded, and as it lies on the disk now, which is what runs then. */
  readonly code?: { loaded: string; now(): string };
  /** A sub-agent's: the run that a call with this key makes, so that a crash finds it again. */
  childRunId?(key: string): string;
  /** Ends what the tool keeps between calls (worker threads); a later call starts it again. */
  close?(): Promise<void>;
  /** Ends what it keeps for a run that has ended. */
  endRun?(runId: string): Promise<void>;
}

export function branded(made: Tool): Tool {
  return Object.defineProperty(made, TOOL, { value: true });
}

export function isTool(value: unknown): value is Tool {
  return isObject(value) && TOOL in value;
}

/** Throws one HermesError that names every wrong field and what was expected. */
export function tool<const Schema extends InputSchema>(definition: ToolDefinition<Schema>): Tool {
  const problems = fieldProblems(definition);
  let input_schema: JsonObject = {};
  if (problems.length === 0) {
    try {
      input_schema = toJsonSchema(definition.input);
      problems.push(...inputProblems(definition, input_schema));
    } catch (error) {
      problems.push(`input: ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) {
    const name = typeof definition?.name === 'string' ? `tool ${definition.name}` : 'a tool';
    throw new HermesError('invalid_tool', `${name} is not defined right:\n  ${problems.join('\n  ')}`, {
      kind: 'usage',
      next: 'mend these fields of tool({...})',
    });
  }
  return makeTool(definition as unknown as ToolDefinition, input_schema);
}

const FLAGS = ['untrusted', 'private', 'outward'] as const;

function makeTool(definition: ToolDefinition, input_schema: JsonObject): Tool {
  const { name, description, input, level, examples, keywords } = definition;
  const { retry, fatalCodes, resultCharacters, summarise } = definition;
  const { timeoutMs, idempotent, parallelGroup, resource, maxCalls, needs, settingNames, aliases, fromConversation, output } = definition;
  let hash: string | undefined;
  const info: ToolInfo = {
    name,
    description,
    input_schema,
    level,
    get hash() {
      hash ??= hashOf(name, description, input_schema);
      return hash;
    },
  };
  if (examples) info.examples = [...examples];
  if (keywords) info.keywords = keywords;
  for (const flag of FLAGS) if (definition[flag]) info[flag] = true;
  const made: Tool = {
    info,
    settings: {
      timeoutMs,
      idempotent,
      retry,
      fatalCodes,
      resultCharacters,
      summarise,
      parallelGroup,
      resource,
      maxCalls,
      needs,
      settingNames,
      aliases,
      fromConversation,
      output,
    },
    run: (args, context) => definition.execute(args, context),
  };
  if (definition.normalize) made.normalize = (args) => definition.normalize!(args);
  if (definition.judge) made.judge = (args, context) => definition.judge!(args, context);
  if (definition.release) {
    made.close = () => definition.release!();
    made.endRun = (runId) => definition.release!(runId);
  }
  if (isStandard(input)) {
    made.check = async (args) => issueLines((await input['~standard'].validate(args)).issues ?? []);
    made.run = async (args, context) => definition.execute(await parsed(input, args), context);
    if (definition.judge) made.judge = async (args, context) => definition.judge!(await parsed(input, args), context);
  } else {
    if (hasDefaults(input_schema)) {
      const filled = (args: JsonObject) => withDefaults(input_schema, args) as JsonObject;
      made.run = (args, context) => definition.execute(filled(args), context);
      if (definition.judge) made.judge = (args, context) => definition.judge!(filled(args), context);
    }
  }
  return branded(made);
}

/** The schema's output (defaults, transformations) for arguments that it has accepted before. */
async function parsed(schema: StandardSchema, args: JsonObject): Promise<JsonObject> {
  const result = await schema['~standard'].validate(args);
  if (result.issues) throw new HermesError('invalid_arguments', issueLines(result.issues).join('; '), { kind: 'tool' });
  return result.value as JsonObject;
}

let sha256: typeof import('node:crypto').hash | undefined;

/** sha256, 32 hexadecimal digits. node:crypto costs 6 ms at its first use, so it is not imported, and hashes are made when asked for. */
export function hashOf(...parts: unknown[]): string {
  const text = parts.map((part) => (typeof part === 'string' ? part : stableJson(part))).join('\0');
  sha256 ??= process.getBuiltinModule('node:crypto').hash;
  return sha256('sha256', text, 'hex').slice(0, 32);
}

// ---- checking a definition ---------------------------------------------------------------------------

type Check = readonly [expected: string, fits: (value: unknown) => boolean];
const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 1;
const REQUIRED: Readonly<Record<string, Check>> = {
  name: ['1 to 64 letters, digits, - or _, a letter first', (value) => typeof value === 'string' && /^[a-z][\w-]{0,63}$/i.test(value)],
  description: ['a text that says when to use it', isText],
  input: ['a Standard Schema or a JSON Schema object', (value) => isObject(value) || typeof value === 'function'],
  level: ['"read", "write" or "dangerous"', (value) => ['read', 'write', 'dangerous'].includes(value as string)],
  execute: ['a function', (value) => typeof value === 'function'],
};
const OPTIONAL: Readonly<Record<string, Check>> = {
  output: ['a JSON Schema object', isObject],
  timeoutMs: ['milliseconds from 1 to 2147483647', (value) => isCount(value) && (value as number) <= 2_147_483_647],
  idempotent: ['true or false', (value) => typeof value === 'boolean'],
  retry: ["{ times, codes } such as { times: 1, codes: ['busy'] }", isRetry],
  fatalCodes: ['a list of error codes', isTexts],
  resultCharacters: ['a whole number from 200', (value) => isCount(value) && (value as number) >= 200],
  summarise: ['true or false', (value) => typeof value === 'boolean'],
  parallelGroup: ['a name', isText],
  resource: ['a name', isText],
  maxCalls: ['a whole number from 1', isCount],
  needs: ['a list of names of settings and variables', (value) => Array.isArray(value) && value.flat().every(isText)],
  settingNames: ['a list of names', isTexts],
  aliases: ["other names of arguments, as in { location: 'city' }", (value) => isObject(value) && Object.values(value).every(isText)],
  fromConversation: ['names of required arguments', (value) => Array.isArray(value) && value.every(isText)],
  normalize: ['a function', (value) => typeof value === 'function'],
  judge: ['a function', (value) => typeof value === 'function'],
  release: ['a function', (value) => typeof value === 'function'],
  examples: ['an array of { request, arguments, result?, answer? }', (value) => Array.isArray(value) && value.every(isExample)],
  keywords: ['a text', isText],
  untrusted: ['true or false', (value) => typeof value === 'boolean'],
  private: ['true or false', (value) => typeof value === 'boolean'],
  outward: ['true or false', (value) => typeof value === 'boolean'],
};
const FIELDS = { ...REQUIRED, ...OPTIONAL };

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isRetry(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).some((key) => key !== 'times' && key !== 'codes')) return false;
  const { times, codes } = value as ToolRetry;
  return (times === undefined || (Number.isInteger(times) && times >= 0 && times <= 10)) && (codes === undefined || isTexts(codes));
}

function isExample(value: unknown): boolean {
  return isObject(value) && isText(value.request) && isObject(value.arguments);
}

function fieldProblems(definition: unknown): string[] {
  if (!isObject(definition)) return ['expected an object with name, description, input, level and execute'];
  const problems: string[] = [];
  for (const [field, value] of Object.entries(definition)) {
    const check = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    const near = check ? undefined : nearest(field, Object.keys(FIELDS));
    if (!check) problems.push(`${field}: unknown field${near ? `; did you mean ${near}?` : ''}`);
    else if (value !== undefined && !check[1](value)) problems.push(`${field}: expected ${check[0]}, got ${preview(value)}`);
  }
  for (const [field, [expected]] of Object.entries(REQUIRED)) {
    if (definition[field] === undefined) problems.push(`${field}: expected ${expected}, got nothing`);
  }
  return problems;
}

function inputProblems(definition: ToolDefinition<InputSchema>, schema: JsonObject): string[] {
  if (schema.type !== 'object') return [`input: expected a schema of type "object", got ${preview(schema.type ?? schema)}`];
  const problems = schemaProblems(schema);
  const known = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  for (const [alias, target] of Object.entries(definition.aliases ?? {})) {
    if (!known.includes(target))
      problems.push(`aliases.${alias}: expected one of the arguments ${known.join(', ')}, got ${preview(target)}`);
    if (known.includes(alias)) problems.push(`aliases.${alias}: expected a name that is no argument itself`);
  }
  for (const name of definition.fromConversation ?? [])
    if (!known.includes(name)) problems.push(`fromConversation: expected arguments out of ${known.join(', ')}, got ${preview(name)}`);
  return problems;
}

function preview(value: unknown): string {
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value)?.slice(0, 80) ?? typeof value);
}
