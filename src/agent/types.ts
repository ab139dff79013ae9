/** What people hand to an agent and get back from it. The library speaks camelCase; events keep their wire names. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { GuardNumbers } from '../guards/numbers.ts';
import type { EventStore, Head } from '../journal/store.ts';
import type {
  CallQuestion,
  Claim,
  Cost,
  ErrorData,
  Fact,
  Json,
  JsonObject,
  Limits,
  Rules,
  RunEvent,
  RunStart,
  Source,
  State,
  Status,
  Usage,
  UserMessage,
} from '../kernel/types.ts';
import type { Timeouts } from '../models/http.ts';
import type { Price } from '../models/prices.ts';
import type { PullPlan, PullProgress } from '../models/pull.ts';
import type { ResolveOptions } from '../models/resolve.ts';
import type { AskOptions, ChatModel } from '../models/types.ts';
import type { Tool } from '../tools/define.ts';
import type { InputSchema } from '../tools/schema.ts';
import type { Hooks } from './hooks.ts';
import type { InstructionFile } from './instruction-files.ts';
import type { OutputForm } from './output-form.ts';

export type ModelOption = string | ChatModel | LanguageModelV4;
/** What opening needs besides the name. */
export interface ModelSettings {
  /** Base URL of an OpenAI-compatible endpoint, instead of the provider's own. */
  baseURL?: string;
  /** The key itself; default: from the environment variable that belongs to the provider. */
  apiKey?: string;
  /** Name of the variable that holds the key, where it is not the provider's usual one. */
  apiKeyEnv?: string;
  /** Tokens that the model's window holds, where it is known better here. */
  contextWindow?: number;
  /** Milliseconds that an endpoint may take to connect, to its first byte, to a whole answer, and between two pieces of one. */
  timeouts?: Partial<Timeouts>;
  /** Default: process.env. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The choice made when no model is named; default: [model] of the configuration, keys, local servers, files. */
  choice?: Pick<ResolveOptions, 'config' | 'language'>;
  /** May the embedded default be pulled, and who is told; absent = it may not. */
  pull?: PullControl;
  /** Folder whose node_modules hold the AI SDK packages that models are named by; default: the working directory. null = none is loaded. */
  packagesFrom?: string | null;
  /** Told in a line what people should change (a base URL that was put right); default: a warning of the process. */
  onNotice?(text: string): void;
}
export interface PullControl {
  /** Told before the first byte; throws to refuse. */
  announce(plan: PullPlan, runtimeBytes: number): void | Promise<void>;
  /** Whether a better model than the default is to be pulled, when a hub answers within 2 seconds; absent = no hub is asked. */
  prefer?(plan: PullPlan): boolean | Promise<boolean>;
  progress(progress: PullProgress): void;
  signal?: AbortSignal;
}

export type ProtocolName = 'auto' | 'native' | 'json' | 'react' | 'guided';

/** A person's word on a question. `by`: who answered, for the log; `nobody` = there was no one to ask. */
export interface ApprovalAnswer {
  decision: 'approve' | 'deny';
  /** Why not: the model reads it. Where the call `wants` an answer: the answer, with the decision `approve`. */
  note?: string;
  /** The rules that the question offered (`always` of its calls) hold from now on, in every run of this agent; keeping them is the caller's. */
  always?: boolean;
  by?: string;
}
export interface ApprovalQuestion {
  approvalId: string;
  runId: string;
  /** All calls of the step that have to be asked about: one answer holds for all of them. */
  calls: readonly CallQuestion[];
  /** ISO 8601; an answer after it means no. */
  expires?: string;
}
/**
 * Asks a person. The signal is aborted when the question is settled otherwise. What it throws counts as no; undefined = nobody has
 * answered yet, and the run sleeps until somebody does.
 */
export type Approver = (question: ApprovalQuestion, options: { signal: AbortSignal }) => Promise<boolean | ApprovalAnswer | undefined>;

/** One light model call or plain code of a feature. What it throws becomes the result `{ error: { code, message } }`. */
export type FeaturePerformer = (
  input: Json,
  options: { state: State; signal: AbortSignal },
) => Promise<{ result: Json; usage?: Usage; cost?: Cost /** Told to people. */; notes?: Fact<'run.note'>[] }>;

export interface PermissionRules {
  /** Tools that exist for the model at all, by name or pattern; default ["*"]. */
  whiteList?: readonly string[];
  /** TOOL or TOOL:PATTERN. */
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Days after which a question counts as answered with no; default 7, 0 = never. */
  approvalDays?: number;
}

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
export type GuardOptions = { [Name in keyof GuardNumbers as Camel<Name>]?: GuardNumbers[Name] };

export interface RunLimits {
  /** Model steps of a run; default 10. */
  maxSteps?: number;
  /** Seconds of work; default 300. */
  maxSeconds?: number;
  /** Input and output tokens of a run with its sub-agents; default: no cap. */
  runTokens?: number;
  /** Cost of a run with its sub-agents, in `currency`; an estimate by the price table. */
  runCost?: number;
  /** The same for all runs that the store has kept since midnight (`timezone`); needs a store. */
  dayTokens?: number;
  dayCost?: number;
  /** ISO 4217; default USD. */
  currency?: string;
  /** When the price of a model is not known: say so once (default), or make no call. */
  unknownPrice?: 'note' | 'refuse';
}

export interface AgentOptions extends ModelSettings {
  /** provider:model, a model of ours, or any AI SDK model. Default: the first that is there (docs: which model answers). */
  model?: ModelOption;
  /** Who the assistant is and how it works; default: a careful general assistant. */
  instructions?: string;
  /** Texts of files that join the instructions, the nearest last; each is named with its hash in run.start. */
  instructionFiles?: readonly InstructionFile[];
  /** Skills that the model can load with the tool `load_skill`: their names and descriptions stand in the instructions. */
  skills?: readonly { name: string; description: string }[];
  tools?: readonly Tool[];
  /** All tools as they are now, asked before each step, for those that come and go (MCP): the same list while nothing has changed. */
  liveTools?(): readonly Tool[];
  /** Tools that are shown to the model when there are more than 32: those that fit the request, by their words. Default 12, 0 = all. */
  preselect?: number;
  /** Default `auto`: what the model can do. */
  protocol?: ProtocolName;
  /** Keeps every event; default: none, only a session's messages stay in memory. */
  store?: EventStore;
  /** Asked before a call that needs it; default: the run stops as waiting_for_approval. */
  onApproval?: Approver;
  permissions?: PermissionRules;
  /** Numbers of the guards that differ from the usual ones ([guards] of the configuration); 0 or false switches one off. */
  guards?: GuardOptions;
  limits?: RunLimits;
  /** Default 0.2 when tools are offered. */
  temperature?: number;
  /** Most tokens of one reply; default: the model's own limit. */
  maxTokens?: number;
  /** How hard a reasoning model thinks; default: as its provider has it. */
  reasoning?: NonNullable<AskOptions['reasoning']>;
  /** Asked in this order when the model before gives no usable reply. */
  fallback?: readonly ModelOption[];
  /** Own prices per million tokens, by provider:model; they win over the table in prices/. */
  prices?: Readonly<Record<string, Price>>;
  /** Folder that file tools stay in; default: the working directory. */
  workspace?: string;
  /**
   * Folders, there or not, whose code the program runs by itself, so that nobody writes there unasked; within the workspace where they are
   * relative. Default: tools and skills.
   */
  codeFolders?: readonly string[];
  /** Milliseconds of one call when its tool says nothing; default 15,000. */
  toolTimeoutMs?: number;
  /** Characters of a result that the model sees when its tool declares none; default 2,000. The rest is kept for read_result. */
  resultCharacters?: number;
  /** Whether the tool read_result is added, with which a model reads on in what was too long to be shown; default true. */
  readBack?: boolean;
  /** Calls that run at the same time; default 8. */
  maxParallel?: number;
  /** IANA name; default: the system's. */
  timezone?: string;
  /** Each tool's own settings, by its name; a tool finds them in `context.settings`. */
  toolSettings?: Readonly<Record<string, JsonObject>>;
  /** Language of reports and notes; default: that of the request. */
  language?: 'zh' | 'en';
  /** Folder whose templates replace those that are shipped. */
  templates?: string;
  /** Known secrets, name -> value: kept out of everything that is stored. */
  secrets?: Readonly<Record<string, string>>;
  /** Functions at five places of a run that may change what passes, refuse it, or want a person to look at it. */
  hooks?: Hooks;
  /** More rules: guards, before-think and before-finish. */
  rules?: Partial<Pick<Rules, 'guards' | 'beforeThink' | 'beforeFinish'>>;
  /** What rules may ask for with { do: 'perform', name, input }; the result is a fact that rules read in state.results. */
  performers?: Readonly<Record<string, FeaturePerformer>>;
  /** Folder for complete prompts and raw replies (HERMES_DEBUG=1). */
  debugDirectory?: string;
}

/**
 * A file of a request: where it lies, or its name and what it holds: bytes, a text, or an image as base64 or data: URL. Whether it is a
 * text or an image is told by its content.
 */
export type GivenFile = string | URL | { name: string; data: string | Uint8Array; media_type?: string };

export interface RunOptions<Schema extends InputSchema | undefined = undefined> {
  /**
   * What the answer has to be: zod or any other Standard Schema, or JSON Schema. `outcome.output` is the value then, checked and typed;
   * an answer that does not fit is mended once by the model, then the run ends with the error `output_invalid`.
   */
  output?: Schema;
  /** Texts and images that go with the request. Images are scaled to what the model takes. */
  files?: readonly GivenFile[];
  /** Aborts the run. */
  signal?: AbortSignal;
  /** Sees every event, deltas included. */
  onEvent?(event: RunEvent): void;
}

export interface TokenUsage {
  inputTokens?: number;
  outputTokens?: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}
/** How a request ended (K7). A figure that is not known is absent, never 0. */
export type RunOutcome<Output = unknown> = RunSummary &
  (
    | {
        status: 'success';
        /** The answer as the value that `options.output` describes; absent when no schema was given. */
        output: Output;
      }
    | { status: Exclude<Status, 'success'>; output?: undefined }
  );
/** What every outcome tells, however the run ended. */
export interface RunSummary {
  /** With an output schema the JSON of the value, or the text that did not fit. */
  answer: string;
  highlights: string[];
  steps: number;
  usage: TokenUsage;
  /** An estimate; absent = no price is known. `partial`: some replies had none, so it is the least. */
  cost?: Cost;
  toolCalls: { name: string; arguments: JsonObject; success: boolean; errorCode?: string; ms: number }[];
  stoppedBy?: string;
  /** Made by code when a run ends early. */
  report?: string;
  error?: ErrorData;
  /** Calls that had started before a crash and whose effect is not known. */
  inDoubt?: string[];
  /** Actions that the answer claims, each with the tool whose successful call bears it out; without one nothing was done. */
  claims?: Claim[];
  /** What of the answer was checked and found without ground; it was delivered all the same. */
  unverified?: string;
  /** Questions that the run waits for. */
  approvals?: ApprovalQuestion[];
  runId: string;
  sessionId: string;
  model: string;
  protocol: string;
}

// ---- between the files of this folder ------------------------------------------------------------------

/** How a run begins: with a request, or from the log of another. */
export interface Beginning {
  runId?: string;
  sessionId?: string;
  parentId?: string;
  /** Who is asked when the agent itself has nobody; a sub-agent asks whom its parent asks. */
  approver?: Approver;
  message?: UserMessage;
  /** What had entered the run that this one is a part of. */
  sources?: readonly Source[];
  /** The run whose history this one goes on from. */
  continues?: RunStart['continues'];
  /** The state that `continues` or `resume` begins with. */
  before?: State;
  model?: ModelOption;
  /** What the answer has to be; a resumed run has it in its state. */
  output?: OutputForm;
  /** What its caller lets a sub-agent use. */
  limits?: Partial<Limits>;
  /** Where the log of this very run ends. */
  resume?: Head;
  /** The reply is asked for as a stream, since somebody listens. */
  streaming: boolean;
  /** The last state, and where the log ends. */
  onState?(state: State, head: Head | undefined): void;
}
