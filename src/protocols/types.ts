/** The one small interface behind which a model is asked and understood. An instance lives for one run and may cache what it rendered. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { DecidedBy, ProposedCall, Reply, State, ToolInfo } from '../kernel/types.ts';

/** What a reply says. Without calls, `text` is the final answer. */
export interface Reading {
  text: string;
  reasoning?: string;
  calls: ProposedCall[];
  highlights?: string[];
  /** The reply could not be read: what the model is told in the one request to mend it. */
  problem?: { code: string; message: string };
  /** Native calls were asked for and came written as text: `auto` takes it as a sign that the model cannot do them. */
  as_text?: true;
  /** Who made this decision; absent = the model. */
  decided_by?: DecidedBy;
}

export interface Protocol {
  readonly name: string;
  /** The request for the next step. Never changes a prompt that it has handed out; the front stays the same from step to step. */
  render(state: State, tools: readonly ToolInfo[]): LanguageModelV4CallOptions;
  /** Never throws: what cannot be read becomes a `problem`, of the reply or of one call. */
  read(reply: Reply, state: State, tools: readonly ToolInfo[]): Reading | Promise<Reading>;
  /** A filter for streamed text that shows people the answer only; absent = the text is shown as it comes. */
  visible?(): (text: string) => string;
}
