/**
 * The words of the system: events, state, commands, rules and ports. Plain data only; what is
 * written here is also the wire format (snake_case) that store, log, server and pages use.
 */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

// ---- messages: what the model will see, whatever protocol renders it -----------------------------

/** A file given with a request. `data` is base64 for images, text otherwise. */
export interface FilePart {
  name: string;
  media_type: string;
  data: string;
}
export interface UserMessage {
  role: 'user';
  content: string;
  files?: FilePart[];
}
export interface ToolCall {
  id: string;
  name: string;
  arguments: JsonObject;
}
export interface AssistantMessage {
  role: 'assistant';
  content: string;
  /** Thinking text, given back to providers that want it within a tool loop. */
  reasoning?: string;
  calls?: ToolCall[];
  /** Provider data that must go back unchanged (signatures); dropped when the model changes. */
  extra?: JsonObject;
}
/** Exactly one for each call, in call order, right after the assistant message (K3). */
export interface ToolMessage {
  role: 'tool';
  call_id: string;
  name: string;
  content: string;
  success: boolean;
  /** What it holds came from outside, or is the user's own; kept when it is shortened or summarised. */
  untrusted?: true;
  private?: true;
}
/** A word of the framework to the model (a guard's nudge); never shown as the user's. */
export interface NoteMessage {
  role: 'note';
  content: string;
}
export type Message = UserMessage | AssistantMessage | ToolMessage | NoteMessage;

// ---- tools as the model and the rules see them ----------------------------------------------------

/** read = looks only; write = changes the workspace or a store; dangerous = acts on the outside. */
export type Level = 'read' | 'write' | 'dangerous';

export interface ToolExample {
  request: string;
  arguments: JsonObject;
  result?: Json;
  answer?: string;
}
export interface ToolInfo {
  name: string;
  description: string;
  /** JSON Schema of the arguments, `type: "object"` at its root. */
  input_schema: JsonObject;
  level: Level;
  examples?: ToolExample[];
  /** Words that point to this tool; used by pre-selection only. */
  keywords?: string;
  /** Its results hold text that people outside wrote: web pages, mails, tickets. */
  untrusted?: boolean;
  /** Its results hold what is the user's own: files, notes, mails, calendars. */
  private?: boolean;
  /** Its calls carry their arguments out of this machine, also when they only look: a fetch, a search. Dangerous tools always do. */
  outward?: boolean;
  /** Hash of name, description, schema and code version; stands in run.start. */
  hash: string;
}

/** What every tool gives back (T4). */
export type ToolResult = { success: true; data: Json } | { success: false; error: ErrorData };
export interface ErrorData {
  code: string;
  message: string;
  /** What the reader can do next. */
  next?: string;
  [key: string]: Json | undefined;
}

// ---- replies ---------------------------------------------------------------------------------------

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'interrupted' | 'error' | 'other';

/** A figure that the provider did not give is absent, never 0. */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  cache_write_tokens?: number;
  reasoning_tokens?: number;
}
/** An estimate: from the price table, or what the endpoint itself said. */
export interface Cost {
  amount: number;
  /** ISO 4217; the price table is in USD. */
  currency: string;
  /** The price of some replies is not known: the amount is the least that it was. */
  partial?: true;
}
/** What a model said, before a protocol has read it. */
export interface Reply {
  text: string;
  reasoning?: string;
  /** Native calls, arguments as the model wrote them. */
  calls: { id: string; name: string; input: string }[];
  usage?: Usage;
  /** What the endpoint says that this reply cost. */
  cost?: Cost;
  finish: FinishReason;
  finish_raw?: string;
  extra?: JsonObject;
}
/** A call read out of a reply. With `problem` it will be rejected, never run. */
export interface ProposedCall {
  id: string;
  name: string;
  arguments: JsonObject;
  /** What the reader mended, for the log. */
  repairs?: string[];
  /** Who chose this call and its arguments; absent = the model. */
  decided_by?: DecidedBy;
  /** A hook wants a person to look at it, whatever the rules allow. */
  ask?: string;
  problem?: { code: string; message: string };
}
export type DecidedBy = 'model' | 'rail';

// ---- events ------------------------------------------------------------------------------------------

export interface Limits {
  /** Model steps a run; default 10. */
  max_steps: number;
  /** Seconds of work (model, tools, performers), not of waiting for a person; default 300. */
  max_seconds: number;
  /** Estimated tokens a request may hold; absent = the model's window is not known. */
  context_tokens?: number;
  /** Caps on what this run and its sub-agents use, and on what all runs of the store use in a day; absent = none. */
  run_tokens?: number;
  run_cost?: number;
  day_tokens?: number;
  day_cost?: number;
  /** Of the costs; ISO 4217, default USD. */
  currency?: string;
  /** Most tokens of one reply, for the estimate of the next call. */
  reply_tokens?: number;
  /** What happens under a cap on money when the price is not known; default: it is said once. */
  unknown_price?: 'note' | 'refuse';
}
export interface RunStart {
  /** Absent only when a fork goes on without a new request. */
  input?: UserMessage;
  instructions: string;
  /** provider:model */
  model: string;
  /** Why this model answers, for people. */
  model_reason?: string;
  protocol: string;
  /** name -> hash; names only count in a log that is kept, without a store it is empty. */
  tools: Record<string, string>;
  /** template name -> hash */
  templates?: Record<string, string>;
  /** Files whose text stands in the instructions (AGENTS.md): path -> hash. */
  instruction_files?: Record<string, string>;
  limits: Limits;
  /** zh or en: the language of reports and notes in this run. */
  language: 'zh' | 'en';
  /** JSON Schema that the final answer has to fit; protocols ask for it, a before-finish rule checks it. */
  output_schema?: JsonObject;
  /** Numbers of guards that differ from the usual ones. */
  guards?: JsonObject;
  /** Random: names the marks around untrusted texts in this run's prompts. */
  boundary?: string;
  /** What had entered the run that made this request, of a sub-agent: its request may hold words of any of them. */
  sources?: Source[];
  /** The run whose history this one goes on from; the fold starts from its state at `seq`. */
  continues?: { run_id: string; seq: number; hash?: string; fork?: boolean };
}
export interface Repair {
  /** e.g. renamed, converted, dropped, resolved, default */
  kind: string;
  path: string;
  note: string;
  by: DecidedBy;
}
export interface CallQuestion {
  call_id: string;
  name: string;
  level: Level;
  arguments: JsonObject;
  /** sha256 over tool, prepared arguments and working directory: what an approval binds to. */
  hash: string;
  /** Why it is asked. */
  reason?: string;
  /** What would happen, for people: a diff, a mail's recipients and body, a parsed command. */
  preview?: string;
  /** Untrusted texts that had entered the run by then. */
  sources?: Source[];
  /** Arguments that repeat text of a source: where a value may really come from. */
  repeats?: { argument: string; source: string; text: string }[];
  /** The rule that "always" would add, no wider than this call; absent = it is asked about every time. */
  always?: string;
  /** Words are asked for, not a yes or no: they are the note of the answer. Such a call has a question of its own. */
  wants?: 'answer';
}
/** A result, or a file given with a request, that entered the run and that decisions about later calls depend on. */
export interface Source {
  /** Empty for a file. */
  call_id: string;
  /** The tool; `attachment` for a file. */
  name: string;
  untrusted?: true;
  private?: true;
  /** For people: the address, path or key it came from. */
  from?: string;
}
export type Verdict =
  /** A message for the model; it thinks again. */
  | { verdict: 'nudge'; message: string }
  /** Another answer in place of the model's, made by code. */
  | { verdict: 'replace'; message: string; answer: string }
  /** These calls are not made; the model reads the message as their result. */
  | { verdict: 'refuse'; message: string; call_ids: string[] }
  /** The run ends as stopped_by_guard. */
  | { verdict: 'stop'; message: string };
/** What a hook of the user said at its place in a run; `ok` is not recorded. */
export type HookStage = 'before_model' | 'after_model' | 'before_tool' | 'after_tool' | 'before_finish';

export interface EventData {
  'run.start': RunStart;
  'run.resume': { reason?: string };
  'run.change': { model?: string; protocol?: string; tools?: Record<string, string> };
  /** With `error`: the framework itself failed; the run ends as error, not as cancelled. */
  'run.abort': { reason: string; error?: ErrorData };
  'run.note': { level: 'info' | 'warning'; code: string; message: string; call_id?: string };
  'run.end': { outcome: Outcome };
  'limit.reached': { limit: 'max_seconds' | 'shutdown'; value: number };
  'step.start': { step: number };
  /** `shown`: the names of the tools that the model sees, when not all `tools` are shown. */
  'context.built': { messages: number; tokens: number; tools: number; shown?: string[] };
  'model.start': { model: string; protocol: string; temperature?: number };
  /** Not stored. */
  'model.delta': { text?: string; reasoning?: string };
  'model.end': {
    model: string;
    text: string;
    reasoning?: string;
    /** The reply as it came, when it differs from `text`. */
    raw?: string;
    calls: ProposedCall[];
    finish: FinishReason;
    finish_raw?: string;
    usage?: Usage;
    /** Absent beside a usage = the price of this model is not known. */
    cost?: Cost;
    ms: number;
    decided_by?: DecidedBy;
    highlights?: string[];
    /** The reply could not be read: what is wrong, for one request to mend it. */
    problem?: { code: string; message: string };
    /** No usable reply came. */
    error?: ErrorData;
    extra?: JsonObject;
  };
  'call.prepare': {
    call_id: string;
    name: string;
    arguments: JsonObject;
    level: Level;
    /** A repeat is safe: after a crash it runs again with the same key. Reading calls do so in any case. */
    idempotent?: boolean;
    /** Calls of one parallel group run together, groups one after another; absent = with all others. */
    parallel_group?: string;
    /** Calls that name the same resource run one after another. */
    resource?: string;
    /** sha256 over tool, prepared arguments and working directory: what an approval binds to. Absent on reading calls. */
    hash?: string;
    repairs?: Repair[];
    /** As the tool declares it. */
    untrusted?: true;
    private?: true;
    outward?: true;
    /** Names of arguments that the schema leaves to the model, of outward calls: they carry text as values do. */
    free_names?: string[];
    preview?: string;
    /** A hook wants a person to look at it, whatever the rules allow. */
    ask?: string;
    /** It cannot run without a person's words. */
    wants?: 'answer';
  };
  'call.reject': { call_id: string; name: string; code: string; message: string };
  /** `by`: who decided. A gate is code that no rule can open (taint, budgets). */
  'call.permit': { call_id: string; decision: 'allow' | 'ask' | 'deny'; reason: string; by: 'rule' | 'gate' | 'hook' | 'person' };
  'tool.start': { call_id: string; name: string; key: string; child_run_id?: string };
  /** Not stored. */
  'tool.delta': { call_id: string; data: Json };
  'tool.end': {
    call_id: string;
    name: string;
    result: ToolResult;
    shaped: string;
    ms: number;
    /** Names the whole result where `shaped` shows a part of it; the tool read_result reads on by it. Unique in a session. */
    handle?: string;
    /** How often the tool ran, when it was tried again. */
    tries?: number;
    /** Where the result came from, for people: an address, a path. */
    from?: string;
    /** This result is so though its tool is not declared to be (a note that was written from untrusted text). */
    untrusted?: true;
    private?: true;
    /** What a sub-agent used: it counts for the run that called it. */
    usage?: Usage;
    cost?: Cost;
  };
  /** After `expires` (ISO 8601) an answer means no; absent: it never does. */
  'approval.ask': { approval_id: string; calls: CallQuestion[]; expires?: string };
  /** `by` names the person or policy; `nobody` = there was no one to ask, which means no. `note`: why not, or the words that are wanted. */
  'approval.answer': { approval_id: string; decision: 'approve' | 'deny'; note?: string; by: string };
  'guard.trip': { guard: string } & Verdict;
  /** What a hook changed or refused, and why; what comes of it is the next event. */
  'hook.verdict': { hook: string; stage: HookStage; verdict: 'change' | 'veto' | 'ask'; reason: string; call_id?: string };
  'perform.start': { name: string; input: Json };
  'perform.end': { name: string; result: Json; ms: number; usage?: Usage; cost?: Cost };
  /** The first `count` messages are replaced by `messages`; `own_from` is where this run's messages begin then. */
  'memory.compact': { count: number; messages: Message[]; own_from: number; tokens_before: number; tokens_after: number };
  'input.add': { message: UserMessage; interrupt?: boolean };
  'input.taken': { count: number };
}
export type EventType = keyof EventData;
/** Event types that are published but neither committed nor applied. */
export type DeltaType = 'model.delta' | 'tool.delta';
/** Something that happened, before the journal has given it a place. */
export type Fact<T extends EventType = EventType> = { [K in T]: { event_type: K; data: EventData[K] } }[T];
export interface Envelope {
  /** Position in the run's log, from 1; absent on deltas. */
  seq: number;
  /** ISO 8601, UTC, milliseconds. */
  ts: string;
  trace_id: string;
  session_id: string;
  run_id: string;
  parent_id?: string;
  step: number;
  /** Hash chain of the run; absent without a store. */
  prev_hash?: string;
  hash?: string;
}
export type RunEvent<T extends EventType = EventType> = Envelope & Fact<T>;

// ---- outcome -------------------------------------------------------------------------------------------

export type Status = 'success' | 'max_steps' | 'timeout' | 'stopped_by_guard' | 'waiting_for_approval' | 'cancelled' | 'error';
export interface CallRecord {
  name: string;
  arguments: JsonObject;
  success: boolean;
  error_code?: string;
  ms: number;
  /** It was started; absent: refused, denied or cancelled before. */
  ran?: true;
  /** It ran and acted on the outside: its level, or what its tool declares. */
  outward?: true;
}
/** Something that the answer says was done, held against the ledger. */
export interface Claim {
  /** The words of the answer. */
  text: string;
  /** The tool whose successful call bears it out; absent = no such call is in the ledger. */
  tool?: string;
}
export interface Outcome {
  status: Status;
  answer: string;
  highlights: string[];
  steps: number;
  usage: Usage;
  /** Absent = no price is known. */
  cost?: Cost;
  /** The answer as the value that `output_schema` asked for. */
  output?: Json;
  tool_calls: CallRecord[];
  /** Actions that the answer claims; those without a tool were not done, as far as the ledger knows. */
  claims?: Claim[];
  /** A check of the answer failed and one request to mend it did not help: it is delivered as it is. */
  unverified?: string;
  /** Which limit or guard ended the run. */
  stopped_by?: string;
  /** Made by code when a run ends early: what was done, where it is stuck, what would help. */
  report?: string;
  error?: ErrorData;
  /** Names of calls that had started before a crash and whose effect is not known. */
  in_doubt?: string[];
}

// ---- state ------------------------------------------------------------------------------------------------

export type CallStatus = 'proposed' | 'prepared' | 'asked' | 'allowed' | 'started' | 'in_doubt' | 'done';
export interface Call {
  id: string;
  name: string;
  status: CallStatus;
  arguments: JsonObject;
  problem?: { code: string; message: string };
  level?: Level;
  idempotent?: boolean;
  parallel_group?: string;
  resource?: string;
  hash?: string;
  untrusted?: true;
  private?: true;
  outward?: true;
  free_names?: string[];
  preview?: string;
  ask?: string;
  wants?: 'answer';
  /** A person has said yes to what the question showed. */
  approved?: true;
  /** The words that it wanted. */
  answer?: string;
  key?: string;
  child_run_id?: string;
  decided_by?: DecidedBy;
  /** What the model will see; set when done. */
  content?: string;
  success?: boolean;
}
export interface Question {
  approval_id: string;
  calls: CallQuestion[];
  expires?: string;
}
/** A result that was too long to be shown whole: what finds it again. */
export interface KeptResult {
  handle: string;
  call_id: string;
  /** The run that has it, also when that was an earlier one of the session. */
  run_id: string;
  /** The tool. */
  name: string;
  untrusted?: true;
  private?: true;
}
/** A finished call as guards see it: small, and comparable by its texts. */
export interface Trail {
  call_id: string;
  name: string;
  /** Canonical JSON of the arguments: keys sorted. */
  arguments: string;
  /** Fingerprint of what the model was shown. */
  result: string;
  success: boolean;
  error_code?: string;
  /** The tool itself says that no further call of it can succeed. */
  final?: true;
  step: number;
}
/** The fold of the events: only what decisions need. Plain data; never changed in place. */
export interface State {
  run_id: string;
  session_id: string;
  parent_id?: string;
  /** Sequence number of the last applied event. */
  seq: number;
  instructions: string;
  model: string;
  protocol: string;
  language: 'zh' | 'en';
  limits: Limits;
  output_schema?: JsonObject;
  guards?: JsonObject;
  boundary?: string;
  messages: readonly Message[];
  /** Index of the first message of this run; those before came from the session. */
  own_from: number;
  calls: readonly Call[];
  pending: readonly UserMessage[];
  step: number;
  /** The step has begun and its reply is not there yet. */
  thinking: boolean;
  usage: Usage;
  cost?: Cost;
  /** Tokens whose price is not known were used. */
  unpriced: boolean;
  /** Tokens the next request will hold: the last known usage plus an estimate of what came after. */
  tokens: number;
  /** Milliseconds of work so far, not counting waits for people. */
  work_ms: number;
  /** Time of the last applied event; what work_ms is counted from. */
  last_ts: string;
  /** The final answer that before-finish rules look at; undefined while the model still works. */
  answer?: string;
  answer_by?: DecidedBy;
  highlights: readonly string[];
  /** The last reply could not be read; one mending is asked for. */
  problem?: { code: string; message: string };
  /** The last model call failed. */
  error?: ErrorData;
  /** The endpoint said that the request was too long. */
  overflow: boolean;
  /** How often a guard, a mending or a compaction has happened. */
  trips: Readonly<Record<string, number>>;
  waiting: readonly Question[];
  /** Verdict of a stop guard. */
  stop?: { guard: string; message: string };
  abort?: { reason: string; error?: ErrorData };
  limit?: { limit: string; value: number };
  /** Untrusted and private texts that have entered, also in earlier runs of the session; never taken out. */
  sources: readonly Source[];
  /** Results that can be read back, also of earlier runs of the session, oldest first. */
  kept: readonly KeptResult[];
  /** The last calls of this run, oldest first; at most 50. */
  trail: readonly Trail[];
  /** Results of features' performers, by name. */
  results: Readonly<Record<string, Json>>;
  ledger: readonly CallRecord[];
  in_doubt: readonly string[];
  outcome?: Outcome;
}

// ---- commands ------------------------------------------------------------------------------------------------

export type Command =
  | { do: 'nothing' }
  | { do: 'think' }
  | { do: 'prepare'; calls: Call[] }
  | { do: 'act'; calls: Call[] }
  | { do: 'record'; facts: Fact[] }
  | { do: 'wait' }
  | { do: 'perform'; name: string; input: Json }
  | { do: 'finish'; outcome: Outcome };

// ---- rules: what features register ------------------------------------------------------------------------------

export interface Permission {
  decision: 'allow' | 'ask' | 'deny';
  reason: string;
  /** Default rule. */
  by?: 'rule' | 'gate' | 'hook';
}
/** Pure over the state; speaks or stays silent. */
export type Rule = (state: State) => Command | undefined;
export type Guard = (state: State) => ({ guard: string } & Verdict) | undefined;
export interface Rules {
  permit(state: State, call: Call): Permission;
  /** What a question shows besides the call itself. */
  question?(state: State, call: Call): Pick<CallQuestion, 'sources' | 'repeats' | 'always'>;
  /** Milliseconds after which a question counts as answered with no; default: never. */
  approval_ms?: number;
  guards?: readonly Guard[];
  beforeThink?: readonly Rule[];
  beforeFinish?: readonly Rule[];
  /** Makes the history smaller; undefined when it cannot. */
  compact?(state: State): Fact<'memory.compact'> | undefined;
}

// ---- ports: what the loop is given ----------------------------------------------------------------------------------

/** What a performer holds while it carries out one command. */
export interface Performing {
  /** Resolves once the facts are committed; a barrier (see Journal) also once they are on the disk. */
  emit(...facts: Fact[]): Promise<void>;
  /** Straight to subscribers; neither committed nor applied. */
  delta(fact: Fact<DeltaType>): void;
  /** Aborted by run.abort, an interrupting input, a limit. What was started ends before the performer returns. */
  signal: AbortSignal;
}
/** Performers never throw for what a model, tool, network or person did: they emit the event that says so. */
export interface Performers {
  /** Begins with step.start (step: state.step + 1), ends with model.end. */
  think(state: State, performing: Performing): Promise<void>;
  prepare(state: State, calls: readonly Call[], performing: Performing): Promise<void>;
  act(state: State, calls: readonly Call[], performing: Performing): Promise<void>;
  /** Asks people; absent, or no answer emitted = the run sleeps in the store. */
  wait?(state: State, performing: Performing): Promise<void>;
  perform?(name: string, input: Json, state: State, performing: Performing): Promise<void>;
}
export interface Clock {
  /** ISO 8601, UTC, milliseconds. */
  now(): string;
  /** Calls back after `ms` of monotonic time; gives a function that cancels. */
  after(ms: number, then: () => void): () => void;
}
/**
 * Gives facts their place and keeps them. Throws only when nothing may go on (disk full, a second
 * writer); then the facts were not kept and the loop ends with that error, unsaved facts unapplied.
 */
export interface Journal {
  /** Durable facts are on the disk when it resolves; others ride along with the next durable one. */
  append(facts: readonly Fact[], step: number, durable: boolean): RunEvent[] | Promise<RunEvent[]>;
  /** What people put in from outside since the last call (steer, abort, approval). `now`: not only now and then. */
  inbox?(now?: boolean): Fact[] | Promise<Fact[]>;
}

// ---- a run, from outside ------------------------------------------------------------------------------------------------

export interface Running {
  /** The last state: with an outcome, or asleep while somebody is waited for. Rejects only when the journal can keep nothing more. */
  done: Promise<State>;
  /** From any moment on: abort, steering, approval, change of model or tools. Resolves once it is taken in, or never will be. */
  post(fact: Fact): Promise<void>;
  state(): State | undefined;
}
export interface RunOptions {
  /** run.start of a new run, run.resume of one that goes on. */
  first: Fact<'run.start' | 'run.resume'>;
  /** The folded state: of this run when it is resumed, of the one it continues when it is new. */
  before?: State;
  performers: Performers;
  rules: Rules;
  journal: Journal;
  clock: Clock;
  /** Sees every event, deltas included. Must not throw: subscribers own their own failures. */
  publish(event: RunEvent | Fact<'model.delta' | 'tool.delta'>): void;
}
