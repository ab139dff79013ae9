/** What people hand to an agent and get back from it. The library speaks camelCase; events keep their wire names. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { EventStore } from '../journal/store.ts';
import type { CallQuestion, ErrorData, FilePart, JsonObject, Rules, RunEvent, Status } from '../kernel/types.ts';
import type { ChatModel } from '../models/types.ts';
import type { Tool } from '../tools/define.ts';
import type { ModelSettings } from './models.ts';

export type ModelOption = string | ChatModel | LanguageModelV4;
export type ProtocolName = 'auto' | 'native' | 'json' | 'guided';

/** A person's word on a question. `by`: who answered, for the log; `nobody` = there was no one to ask. */
export interface ApprovalAnswer {
  decision: 'approve' | 'deny';
  note?: string;
  by?: string;
}
export interface ApprovalQuestion {
  approvalId: string;
  runId: string;
  calls: readonly CallQuestion[];
}
/** Asks a person. The signal is aborted when the question is settled otherwise. What it throws counts as no. */
export type Approver = (question: ApprovalQuestion, options: { signal: AbortSignal }) => Promise<boolean | ApprovalAnswer>;

export interface PermissionRules {
  /** Tools that exist for the model at all, by name or pattern; default ["*"]. */
  whiteList?: readonly string[];
  /** TOOL or TOOL:PATTERN. */
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
}

export interface AgentOptions extends ModelSettings {
  /** provider:model, a model of ours, or any AI SDK model. Default: the first that is there (docs: which model answers). */
  model?: ModelOption;
  /** Who the assistant is and how it works; default: a careful general assistant. */
  instructions?: string;
  tools?: readonly Tool[];
  /** Default `auto`: what the model can do. */
  protocol?: ProtocolName;
  /** Keeps every event; default: none, only a session's messages stay in memory. */
  store?: EventStore;
  /** Asked before a call that needs it; default: the run stops as waiting_for_approval. */
  onApproval?: Approver;
  permissions?: PermissionRules;
  /** Default 10 steps and 300 seconds of work. */
  limits?: { maxSteps?: number; maxSeconds?: number };
  /** Default 0.2 when tools are offered. */
  temperature?: number;
  /** Most tokens of one reply; default: the model's own limit. */
  maxTokens?: number;
  /** Folder that file tools stay in; default: the working directory. */
  workspace?: string;
  /** Milliseconds of one call when its tool says nothing; default 15,000. */
  toolTimeoutMs?: number;
  /** Calls that run at the same time; default 8. */
  maxParallel?: number;
  /** IANA name; default: the system's. */
  timezone?: string;
  /** Language of reports and notes; default: that of the request. */
  language?: 'zh' | 'en';
  /** Folder whose templates replace those that are shipped. */
  templates?: string;
  /** Known secrets, name -> value: kept out of everything that is stored. */
  secrets?: Readonly<Record<string, string>>;
  /** More rules: guards, before-think and before-finish. */
  rules?: Partial<Pick<Rules, 'guards' | 'beforeThink' | 'beforeFinish'>>;
  /** Folder for complete prompts and raw replies (HERMES_DEBUG=1). */
  debugDirectory?: string;
}

export interface RunOptions {
  files?: readonly FilePart[];
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
export interface RunOutcome {
  status: Status;
  answer: string;
  highlights: string[];
  steps: number;
  usage: TokenUsage;
  toolCalls: { name: string; arguments: JsonObject; success: boolean; errorCode?: string; ms: number }[];
  stoppedBy?: string;
  /** Made by code when a run ends early. */
  report?: string;
  error?: ErrorData;
  /** Calls that had started before a crash and whose effect is not known. */
  inDoubt?: string[];
  /** Questions that the run waits for. */
  approvals?: ApprovalQuestion[];
  runId: string;
  sessionId: string;
  model: string;
  protocol: string;
}
