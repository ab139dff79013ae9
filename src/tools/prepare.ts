/** From a proposed call to one that may be permitted: find, adapt, validate, judge. What a model got wrong becomes a message for it. */

import { HermesError, nearest } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Call, CallRecord, Fact, Json, JsonObject, Performers, Repair, State, ToolInfo } from '../kernel/types.ts';
import { adaptArguments, hasUnknown } from './adapt.ts';
import { bareName } from './convert.ts';
import { hashOf, type JudgeContext, type Judgement, type Tool } from './define.ts';
import { surelyValid } from './plain.ts';
import { toError } from './result.ts';
import { compileValidator, inspect, type Validator } from './validate.ts';

export interface PrepareOptions {
  tools: ReadonlyMap<string, Tool>;
  /** What approvals bind to, besides tool and arguments. */
  workspace: string;
  /** See RunContext. */
  codeFolders?: readonly string[];
  /** Each tool's own settings, by its name. */
  settings?: Readonly<Record<string, JsonObject>>;
}

type Rejected = { stage: 'rejected'; code: string; message: string };
type Found = { stage: 'found'; tool: Tool; repairs: Repair[] };
type Judged = { stage: 'judged' } & Omit<Judgement, 'deny'>;
type Adapted = { stage: 'adapted'; arguments: JsonObject; repairs: Repair[] };

export function createPrepare(options: PrepareOptions): Performers['prepare'] {
  const find = finder(options.tools);
  const validators = new Map<Tool, Promise<Validator>>();

  function validatorOf(tool: Tool): Promise<Validator> {
    const validator = validators.get(tool) ?? compileValidator(tool.info.input_schema);
    validators.set(tool, validator);
    return validator;
  }

  async function prepareCall(state: State, call: Call, earlier: readonly Fact[]): Promise<Fact> {
    if (call.problem) return rejection(call, call.problem);
    const found = find(call.name);
    if (found.stage === 'rejected') return rejection(call, found);
    const { tool } = found;
    const code = codeNow(tool); // before any of it runs
    const tooMany = overuse(state, tool, earlier);
    if (tooMany) return rejection(call, tooMany);
    const adapted = isReady(tool, call.arguments)
      ? { stage: 'adapted' as const, arguments: call.arguments, repairs: [] }
      : await adapt(tool, call.arguments, state, validatorOf);
    if (adapted.stage === 'rejected') return rejection(call, adapted);
    const repairs = [...found.repairs, ...adapted.repairs];
    const { workspace } = options;
    const judged = tool.judge
      ? await judge(tool.judge, tool.info, adapted.arguments, judgeContext(tool, state, options, earlier))
      : { stage: 'judged' as const, level: tool.info.level };
    if (judged.stage === 'rejected') return rejection(call, judged);
    const isChanged = code !== tool.code?.loaded && code !== undefined && judged.level !== 'read';
    if (isChanged) judged.ask = [CHANGED[state.language], judged.ask].filter(Boolean).join('; ');
    // A reading call is not asked about as a rule, and a hash is a part of the cost of a step.
    const hash = judged.level === 'read' ? undefined : callHash(tool, code, adapted.arguments, workspace);
    return preparation(call, tool, adapted.arguments, repairs, judged, hash);
  }

  return async (state, calls, performing) => {
    const facts: Fact[] = [];
    for (const call of calls) facts.push(await prepareCall(state, call, facts));
    await performing.emit(...facts);
  };
}

// ---- what a yes holds for ----------------------------------------------------------------------------------

const CHANGED = { en: 'the file of this tool has changed since it was loaded', zh: '此工具的文件在载入之后有改动' };

/** Of a user's tool that may act: its code as it lies on the disk. */
export function codeNow({ info, judge, code }: Tool): string | undefined {
  return judge || info.level !== 'read' ? code?.now() : undefined;
}

/** What an approval binds to: this tool, its code, these arguments, this folder. */
export function callHash({ info }: Tool, code: string | undefined, args: JsonObject, workspace: string): string {
  return hashOf(info.hash, ...(code === undefined ? [] : [code]), args, workspace);
}

// ---- find ------------------------------------------------------------------------------------------------

/** By the exact name, else by the one name that differs in letter case and punctuation only. A near miss is only suggested. */
function finder(tools: ReadonlyMap<string, Tool>): (name: string) => Found | Rejected {
  const byBareName = new Map<string, Tool | undefined>();
  for (const [name, tool] of tools) byBareName.set(bareName(name), byBareName.has(bareName(name)) ? undefined : tool);
  return (name) => {
    const exact = tools.get(name);
    if (exact) return { stage: 'found', tool: exact, repairs: [] };
    const alike = byBareName.get(bareName(name));
    if (!alike) return { stage: 'rejected', code: 'unknown_tool', message: unknownTool(name, [...tools.keys()]) };
    return { stage: 'found', tool: alike, repairs: [{ kind: 'renamed', path: 'name', note: `${name} -> ${alike.info.name}`, by: 'rail' }] };
  };
}

function unknownTool(name: string, names: string[]): string {
  const near = nearest(name.slice(0, 64), names);
  const list = names.length > 30 ? `${names.slice(0, 30).join(', ')} and ${names.length - 30} more` : names.join(', ') || 'none';
  return `there is no tool "${name.slice(0, 64)}"${near ? `; did you mean ${near}?` : ''} Nothing was run. Tools: ${list}`;
}

function overuse(state: State, { info, settings }: Tool, earlier: readonly Fact[]): Rejected | undefined {
  if (settings.maxCalls === undefined) return undefined;
  const ran = state.ledger.filter((one) => one.name === info.name && one.ran).length;
  const now = earlier.filter((fact) => fact.event_type === 'call.prepare' && fact.data.name === info.name).length;
  if (ran + now < settings.maxCalls) return undefined;
  const message = `${info.name} may be called ${settings.maxCalls} times in one run, and has been. Go on without it.`;
  return { stage: 'rejected', code: 'too_many_calls', message };
}

// ---- adapt and validate ----------------------------------------------------------------------------------

/** The usual call: nothing to mend, to look up or to check. The same that `adapt` would say, at once. */
function isReady({ info, settings, normalize, check }: Tool, given: JsonObject): boolean {
  const { input_schema: schema } = info;
  if (normalize || check || settings.fromConversation || hasFormat(schema)) return false;
  return inspect(given).problem === undefined && surelyValid(schema, given) && !hasUnknown(schema, given);
}

function hasFormat({ properties }: JsonObject): boolean {
  for (const name in properties as JsonObject)
    if (isObject((properties as JsonObject)[name]) && 'format' in (properties as Record<string, object>)[name]!) return true;
  return false;
}

/** Valid arguments stay as they are; others are adapted, normalised by the tool, and have to be valid then. */
async function adapt(
  tool: Tool,
  given: JsonObject,
  state: State,
  validatorOf: (tool: Tool) => Promise<Validator>,
): Promise<Adapted | Rejected> {
  const { input_schema: schema, level } = tool.info;
  const inspected = inspect(given);
  if (inspected.problem) return invalid(tool, [inspected.problem]);
  let args = given;
  const repairs: Repair[] = [];
  try {
    const validate = async (value: JsonObject, size: number) => (surelyValid(schema, value) ? [] : (await validatorOf(tool))(value, size));
    let problems = await validate(args, inspected.size);
    if (problems.length > 0 || hasUnknown(schema, args)) {
      const adapted = adaptArguments(schema, args, {
        tool: tool.info.name,
        aliases: tool.settings.aliases,
        unknown: level === 'read' ? 'drop' : 'refuse',
      });
      if (adapted.problems.length > 0) return invalid(tool, adapted.problems);
      args = adapted.arguments;
      repairs.push(...adapted.repairs);
    }
    args = await supplied(tool, args, state, problems.length > 0, repairs);
    if (tool.normalize) args = normalized(args, await tool.normalize(structuredClone(args)), repairs);
    if (args !== given) problems = await validate(args, inspect(args).size);
    if (problems.length === 0 && tool.check) problems = await tool.check(structuredClone(args));
    return problems.length > 0 ? invalid(tool, problems) : { stage: 'adapted', arguments: args, repairs };
  } catch (error) {
    const { code, message } = toError(error);
    return code === 'invalid_schema' ? { stage: 'rejected', code, message } : invalid(tool, [message]);
  }
}

/** Formats that no validator checks: a value of another form is looked through though the schema lets it pass. */
const FREE_FORMATS = ['arithmetic', 'time-zone'];
const ADDRESSES = ['email', 'uri'];

/** Values in the form that a declared `format` wants ("London" as a time zone), and missing ones that the tool takes from the conversation. */
async function supplied(tool: Tool, given: JsonObject, state: State, isInvalid: boolean, repairs: Repair[]): Promise<JsonObject> {
  const { required } = tool.info.input_schema;
  const { fromConversation = [] } = tool.settings;
  let args = given;
  const take = (name: string, kind: string, one: { value: Json; note: string } | undefined) => {
    if (!one || one.value === args[name]) return;
    args = { ...args, [name]: one.value };
    repairs.push({ kind, path: `arguments.${name}`, note: one.note, by: 'rail' });
  };
  for (const [name, property] of Object.entries((tool.info.input_schema.properties ?? {}) as JsonObject)) {
    if (!isObject(property)) continue;
    if (Object.hasOwn(args, name)) {
      const formats = isInvalid ? [...FREE_FORMATS, ...ADDRESSES] : FREE_FORMATS;
      if (!formats.includes(property.format as string)) continue;
      const { resolveArgument } = await import('./resolve.ts');
      take(name, 'resolved', resolveArgument(property as JsonObject, args[name], ''));
    } else if (fromConversation.includes(name) && Array.isArray(required) && required.includes(name)) {
      const { factFor } = await import('./facts.ts');
      take(name, 'stated', factFor(property as JsonObject, state.messages));
    }
  }
  return args;
}

/** What the tool's own `normalize` made of the arguments; each changed one is noted. */
function normalized(before: JsonObject, after: unknown, repairs: Repair[]): JsonObject {
  if (!isObject(after)) throw new Error('normalize of this tool gave no object');
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    repairs.push({ kind: 'normalized', path: `arguments.${name}`, note: 'by the tool', by: 'rail' });
  }
  return after as JsonObject;
}

function invalid(tool: Tool, problems: readonly string[]): Rejected {
  const message = `wrong arguments for ${tool.info.name}; nothing was run. Mend these and call again:\n${problems.map((line) => `- ${line}`).join('\n')}`;
  return { stage: 'rejected', code: 'invalid_arguments', message };
}

// ---- judge -----------------------------------------------------------------------------------------------

/** `earlier`: what was made of the calls before it in the same reply. */
export function judgeContext(
  { info }: Tool,
  { ledger, language, run_id: runId }: State,
  { workspace, codeFolders = [], settings = {} }: Omit<PrepareOptions, 'tools'>,
  earlier: readonly Fact[] = [],
): JudgeContext {
  const before = earlier.flatMap((fact): CallRecord[] =>
    fact.event_type === 'call.prepare' ? [{ name: fact.data.name, arguments: fact.data.arguments, success: true, ms: 0 }] : [],
  );
  return { workspace, codeFolders, settings: settings[info.name] ?? {}, calls: [...ledger, ...before], language, runId };
}

/** What the tool itself says about this call. A judge that fails lets nothing through. */
async function judge(
  ask: NonNullable<Tool['judge']>,
  { name }: ToolInfo,
  args: JsonObject,
  context: JudgeContext,
): Promise<Judged | Rejected> {
  try {
    const { deny, ...judgement } = await ask(structuredClone(args), context);
    if (!['read', 'write', 'dangerous'].includes(judgement.level)) throw new Error(`its judge gave the level ${judgement.level}`);
    if (deny === undefined) return { ...judgement, stage: 'judged' };
    return { stage: 'rejected', code: 'refused_command', message: `${name} was refused and nothing was run: ${deny}` };
  } catch (error) {
    const { code, message, next } = toError(error);
    const hint = next === undefined ? '' : `; ${next}`;
    const why = error instanceof HermesError ? 'was refused and nothing was run' : 'could not be judged, so nothing was run';
    return { stage: 'rejected', code, message: `${name} ${why}: ${message}${hint}` };
  }
}

// ---- the facts -------------------------------------------------------------------------------------------

function rejection(call: Call, { code, message }: { code: string; message: string }): Fact {
  return { event_type: 'call.reject', data: { call_id: call.id, name: call.name, code, message } };
}

function preparation(call: Call, { info, settings }: Tool, args: JsonObject, repairs: Repair[], judged: Judged, hash?: string): Fact {
  const { idempotent, parallelGroup, resource } = settings;
  const { level, ask, preview, wants } = judged;
  const names = info.outward ? freeNames(info.input_schema, args) : [];
  return {
    event_type: 'call.prepare',
    data: {
      call_id: call.id,
      name: info.name,
      arguments: args,
      level,
      ...(idempotent ? { idempotent } : {}),
      ...(parallelGroup === undefined ? {} : { parallel_group: parallelGroup }),
      ...(resource === undefined ? {} : { resource }),
      ...(hash === undefined ? {} : { hash }),
      ...(repairs.length > 0 ? { repairs } : {}),
      ...(info.untrusted ? { untrusted: true } : {}),
      ...(info.private ? { private: true } : {}),
      ...(info.outward ? { outward: true } : {}),
      ...(names.length > 0 ? { free_names: names } : {}),
      ...(preview === undefined ? {} : { preview }),
      ...(ask === undefined ? {} : { ask }),
      ...(wants ? { wants } : {}),
    },
  };
}

/** Those that no part of the schema names. */
function freeNames(schema: JsonObject, args: JsonObject): string[] {
  const parts = [schema, ...['allOf', 'anyOf', 'oneOf'].flatMap((word) => (Array.isArray(schema[word]) ? schema[word] : []))];
  const named = new Set(parts.flatMap((part) => (isObject(part) && isObject(part.properties) ? Object.keys(part.properties) : [])));
  return Object.keys(args).filter((name) => !named.has(name));
}
