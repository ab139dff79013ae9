/**
 * Rails for tiny local models. A request goes to the few tools that fit it; the model sees only their examples, as a
 * dialogue, the best tool last, and writes a tool's name and its arguments, one a line. Values must be copied from the
 * request or come from a resolver. After the tools have answered, the model writes one answer from their result.
 */

import type { JsonObject, ProposedCall, Reply, State, ToolInfo } from '../../kernel/types.ts';
import { callId } from '../calls.ts';
import { withoutRemember } from '../highlights.ts';
import { answerFormat } from '../output.ts';
import { Templates } from '../templates.ts';
import type { Protocol, Reading } from '../types.ts';
import { fillArguments, type Resolve } from './arguments.ts';
import { directExamples, directTool, isNoAnswer, knownAnswer } from './direct.ts';
import { readLines } from './lines.ts';
import { fillOutput } from './output.ts';
import { answerPrompt, callPrompt, directPrompt, outputPrompt } from './prompts.ts';
import { type Turn, turnOf } from './turn.ts';

export interface GuidedOptions {
  /** All tools, best first. A score of 0 says that nothing of the request points to the tool; `matches` counts the words that do. */
  select(request: string, tools: readonly ToolInfo[]): { tool: ToolInfo; score: number; matches: number }[];
  resolve: Resolve;
  /** How the values that the model wrote become arguments. Default: fillArguments. */
  fill?: typeof fillArguments;
  /** Default: the shipped ones. */
  templates?: Templates;
}

/** What the next step is, from the state alone: `render` and `read` come to the same. */
type Step =
  | { kind: 'call'; shown: ToolInfo[]; choices: ToolInfo[]; instead: ToolInfo[]; sure: boolean }
  | { kind: 'answer' }
  | { kind: 'direct' };

/**
 * Parts of the best tool's score: from `choice` on the model may choose a tool, from `instead` on a tool may take the place
 * of one whose arguments the request does not state. The other tools shown only teach the form.
 */
const FITS = { choice: 0.7, instead: 0.4 };
/** Tools whose examples are shown. */
const SHOWN = 3;
/** Tokens of a call, and of an answer: tiny models do not find an end by themselves. */
const MOST_TOKENS = { call: 160, answer: 120, direct: 160, output: 240 };

/** The answer to a result is its first line; what a tiny model writes behind it is not worth its seconds. */
const STOPS = { call: ['\n\n'], answer: ['\n'], direct: ['\n\n', '\nQuestion:', '\n问题：'] };

/** Reads at once: nothing has to be loaded. */
export interface Guided extends Protocol {
  read(reply: Reply, state: State, tools: readonly ToolInfo[]): Reading;
}

export function createGuided({ select, resolve, fill = fillArguments, templates = new Templates() }: GuidedOptions): Guided {
  const direct = directTool(templates);
  let offered: { tools: readonly ToolInfo[]; all: ToolInfo[] } | undefined;

  /** The same array for the same tools, so that the selector can keep its index. */
  function withDirect(tools: readonly ToolInfo[]): ToolInfo[] {
    if (offered?.tools !== tools) offered = { tools, all: [...tools, direct] };
    return offered.all;
  }

  function stepOf(turn: Turn, tools: readonly ToolInfo[]): Step {
    if (turn.results.length > 0) return { kind: 'answer' };
    if (turn.noted) return { kind: 'direct' };
    const ranked = select(turn.request, withDirect(tools));
    const callable = ranked.filter(({ tool }) => tool !== direct);
    const best = ranked[0];
    if (best !== undefined && best.score > 0 && best.tool !== direct) {
      const shown = callable.slice(0, SHOWN);
      const from = (part: number) => shown.filter(({ score }) => score >= best.score * part).map(toolOf);
      return { kind: 'call', shown: shown.map(toolOf), choices: from(FITS.choice), instead: from(FITS.instead), sure: best.matches > 1 };
    }
    // "And in Paris?" names no tool: it goes on with the one before.
    const before = best?.score === 0 ? tools.find((tool) => tool.name === turn.before?.call?.name) : undefined;
    if (before === undefined) return { kind: 'direct' };
    const others = callable.map(toolOf).filter((tool) => tool !== before);
    return { kind: 'call', shown: [before, ...others].slice(0, SHOWN), choices: [before], instead: [], sure: false };
  }

  return {
    name: 'guided',
    render(state, offered) {
      const tools = withoutRemember(offered);
      const turn = turnOf(state);
      const step = stepOf(turn, tools);
      const { output_schema: schema } = state;
      if (schema !== undefined && step.kind !== 'call') {
        const prompt = outputPrompt(turn, Object.keys(schema.properties ?? {}), templates);
        return { prompt, temperature: 0, maxOutputTokens: MOST_TOKENS.output, responseFormat: answerFormat(schema) };
      }
      const prompt =
        step.kind === 'call'
          ? callPrompt(turn, step.shown, templates)
          : step.kind === 'answer'
            ? answerPrompt(turn, tools, templates)
            : directPrompt(turn, directExamples(templates, turn.language));
      return { prompt, temperature: 0, maxOutputTokens: MOST_TOKENS[step.kind], stopSequences: STOPS[step.kind] };
    },
    read(reply, state, offered) {
      const tools = withoutRemember(offered);
      const turn = turnOf(state);
      const step = stepOf(turn, tools);
      if (step.kind === 'call') return readCall(reply, turn, step, state);
      if (state.output_schema !== undefined) return readOutput(reply, turn, state.output_schema);
      if (step.kind === 'direct') return readDirect(reply, turn);
      return { text: firstLine(reply.text) || turn.results.at(-1)!.content, calls: [] };
    },
    // A rail may still replace what is being written, so nothing of it is shown.
    visible: () => () => '',
  };

  function readCall(reply: Reply, turn: Turn, step: Step & { kind: 'call' }, state: State): Reading {
    const lines = readLines(
      reply.text,
      step.choices.map(({ name }) => name),
    );
    const own = step.choices.find(({ name }) => name === lines.tool);
    // The model's choice first; a tool whose arguments the request does not state gives way to one whose it does.
    const tries = [...new Set([...(own ? [own] : []), ...step.choices, ...step.instead])].map((tool) => ({
      tool,
      ...fill(tool, lines.arguments, turn.request, resolve),
    }));
    const chosen = tries.find(({ missing }) => missing.length === 0);
    if (!chosen) return nothingToCall(tries[0]!, turn, step.sure);
    const { tool, repairs } = chosen;
    const decided_by = tool === own ? 'model' : 'rail';
    const why = decided_by === 'rail' ? [`tool: ${tool.name}, which fits the request best and finds its arguments there`] : [];
    const all = [...why, ...repairs];
    const call: ProposedCall = { id: callId(state, 0), name: tool.name, arguments: chosen.arguments, decided_by };
    return { text: '', calls: [all.length > 0 ? { ...call, repairs: all } : call], decided_by };
  }

  /** Asks for what is missing; where only one word pointed to the tool, the request is answered without it. */
  function nothingToCall(best: { tool: ToolInfo; missing: string[] }, turn: Turn, sure: boolean): Reading {
    const [tool, missing] = [best.tool.name, best.missing.join(', ')];
    if (sure) return { text: templates.fill('guided-missing', turn.language, { tool, missing }), calls: [], decided_by: 'rail' };
    const message = templates.fill('guided-no-tool', turn.language, { tool });
    return { text: message, calls: [], problem: { code: 'no_tool_fits', message }, decided_by: 'rail' };
  }

  /** Without a value for each required field there is no answer: the rule that validates says what is missing. */
  function readOutput(reply: Reply, turn: Turn, schema: JsonObject): Reading {
    const filled = fillOutput(schema, reply.text, turn);
    if (filled) return { text: JSON.stringify(filled.value), calls: [], ...(filled.byModel.length > 0 ? {} : { decided_by: 'rail' }) };
    const text = turn.results.at(-1)?.content ?? templates.fill('guided-unable', turn.language, {});
    return { text, calls: [], decided_by: 'rail' };
  }

  function readDirect(reply: Reply, turn: Turn): Reading {
    const known = knownAnswer(directExamples(templates, turn.language), turn.request);
    if (known !== undefined) return { text: known, calls: [], decided_by: 'rail' };
    const text = reply.finish === 'length' ? wholeSentences(reply.text) : reply.text.trim();
    if (!isNoAnswer(text, turn.request)) return { text, calls: [] };
    return { text: templates.fill('guided-unable', turn.language, {}), calls: [], decided_by: 'rail' };
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.trim();
}

/** Up to the last end of a sentence, when there is one. */
function wholeSentences(text: string): string {
  const end = Math.max(...['.', '!', '?', '。', '！', '？'].map((mark) => text.lastIndexOf(mark)));
  return (end > 0 ? text.slice(0, end + 1) : text).trim();
}

function toolOf({ tool }: { tool: ToolInfo }): ToolInfo {
  return tool;
}
