/** What a case says and what judging it gives. In words and with examples: docs/evals.md. */

import type { RunOutcome } from '../agent/types.ts';
import type { Cost, Json, JsonObject, Level, Status, ToolExample } from '../kernel/types.ts';

/**
 * What a value has to be. A text or number: this one. A text between slashes: a regular expression. `{ near, within }`: a number that far
 * off at most. `{ one_of = [...] }`: any of these. Any other table: the keys that it names. A list: each item in its place.
 */
export type Matcher = Json;

/**
 * One step of a path. `weather` = a call that succeeded, `weather!` = one that failed, with `?` at the end = it may be absent.
 * `arguments` names those that matter, `exactly` all of them.
 */
export type PathStep =
  | string
  | { name: string; arguments?: JsonObject; exactly?: JsonObject }
  | { optional: PathStep }
  | { any_order: readonly PathStep[] }
  | { one_of: readonly (PathStep | readonly PathStep[])[] };
/** The calls of one request in order. `none`: not a single one; `any`: not judged. */
export type PathPattern = 'none' | 'any' | readonly PathStep[];

/** How a request has to end: `answer`, `refusal` and `question` (asks for what is missing) are successes with such an answer. */
export type Ending = 'answer' | 'refusal' | 'question' | Exclude<Status, 'success'>;

export interface AnswerChecks {
  /** Each of these, in any letter case; a list inside the list: one of them. */
  contains?: readonly (string | readonly string[])[];
  not_contains?: readonly string[];
  /** Regular expressions. */
  matches?: readonly string[];
  /** One of the numbers in the answer is this one, `within` (default 0). */
  number?: number;
  within?: number;
}
export interface Limits {
  steps?: number;
  /** Input and output together. Not judged where the provider gives no figure. */
  tokens?: number;
  seconds?: number;
}

/** What is expected of one request. */
export interface Expected {
  tools: PathPattern;
  ending: readonly Ending[];
  answer: AnswerChecks;
  /** Each in one of the highlights. */
  highlights?: readonly string[];
  /** The typed answer. */
  output?: Matcher;
  /** The tools that a person was asked about, in order. */
  asks?: readonly string[];
  /** Files of the workspace afterwards, path -> content. */
  files?: Readonly<Record<string, Matcher>>;
  limits: Limits;
}
/** What happened, as far as it is judged. */
export interface Happened {
  outcome: Pick<RunOutcome, 'status' | 'answer' | 'highlights' | 'steps' | 'usage' | 'toolCalls' | 'error'> & { output?: Json };
  /** The tools that a person was asked about, in order. */
  asked: readonly string[];
  /** The content of the files that are expected; absent = there is no such file. */
  files: Readonly<Record<string, string>>;
  seconds: number;
}

/** What the model says in CI: what it means, not how a protocol writes it. */
export interface ScriptStep {
  text?: string;
  /** `arguments` as text is written as it is: broken JSON, say. */
  calls?: readonly { tool: string; arguments: JsonObject | string }[];
  highlights?: readonly string[];
  /** The reply ends at the token limit. */
  cut?: boolean;
}
export interface Turn extends Expected {
  request: string;
  output_schema?: JsonObject;
  script: readonly ScriptStep[];
}
export interface EvalCase {
  name: string;
  file: string;
  turns: readonly Turn[];
  /** A person's answers: yes to all, to none, or to these tools. Absent = there is nobody to ask. */
  approve?: boolean | readonly string[];
  /** Patterns of tools that the model is offered; absent = all of the file's and the shipped ones. */
  offer?: readonly string[];
  tools: Readonly<Record<string, ScriptedTool>>;
  instructions?: string;
  permissions: { allow?: readonly string[]; ask?: readonly string[]; deny?: readonly string[] };
  /** Files that the workspace begins with, path -> content. */
  files: Readonly<Record<string, string>>;
}

/** What one call of a scripted tool gives. */
export interface ScriptedResult {
  result?: Json;
  /** The call fails with this message. */
  fails?: string;
  /** Of the failure; default tool_failed. */
  code?: string;
}
export interface ScriptedTool extends ScriptedResult {
  description: string;
  /** Default read. */
  level: Level;
  input: JsonObject;
  aliases?: Readonly<Record<string, string>>;
  examples?: readonly ToolExample[];
  keywords?: string;
  /** As a tool declares them: text of strangers, the user's own data, arguments that leave the machine. */
  untrusted?: boolean;
  private?: boolean;
  outward?: boolean;
  /** The first whose arguments fit answers. */
  when?: readonly (ScriptedResult & { arguments: JsonObject })[];
  /** One a call; the last one stays. */
  sequence?: readonly ScriptedResult[];
  delay_seconds?: number;
}

// ---- results --------------------------------------------------------------------------------------------------

/** One attempt at one case on one model. A figure that is not known is absent, never 0. */
export interface CaseResult {
  case: string;
  file: string;
  model: string;
  protocol: string;
  attempt: number;
  passed: boolean;
  /** What was not as expected, one line each. */
  problems: string[];
  /** The calls of each request: `weather`, failed ones with `!`. */
  paths: string[][];
  answers: string[];
  steps: number;
  tokens?: number;
  cost?: Cost;
  seconds: number;
  failed_calls: number;
}
/** A model's figures over all cases and attempts. */
export interface Summary {
  model: string;
  passed: number;
  total: number;
  /** Cases that passed in some attempts and not in others. */
  flaky: number;
  /** Means over all attempts. */
  steps: number;
  seconds: number;
  /** Mean over the attempts whose figure is known; absent = none is. */
  tokens?: number;
  tokens_unknown: number;
  /** Sum over the attempts whose cost is known, by currency. */
  cost: Record<string, number>;
  cost_unknown: number;
  failed_calls: number;
}
