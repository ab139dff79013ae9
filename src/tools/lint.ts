/** What an author could make better in tools that work: what costs tokens or makes a model choose or call wrongly. */

import { isObject } from '../kernel/json.ts';
import { estimateTokens } from '../kernel/text.ts';
import type { ToolInfo } from '../kernel/types.ts';
import { likeness } from './select.ts';

export interface Lint {
  /** Name of the tool. */
  tool: string;
  code: 'long_description' | 'no_when' | 'undeclared_required' | 'similar' | 'no_examples';
  message: string;
}

/** Sentences that a description may have: when to use it, what it gives. */
const MOST_SENTENCES = 2;
/** From this likeness on two tools are easily confused; the built-in ones are at most 0.4 alike. */
const ALIKE = 0.7;
const WHEN = /\b(?:use|used|using|call)\b|\bwhen(?:ever)?\b|用于|用来|使用|适用|调用|当.{1,20}时|需要.{1,20}时|(?:询问|问|想|要).{0,12}时/i;

/** What a model is told of a tool by a provider's own function calling. */
export function definitionOf({ name, description, input_schema }: ToolInfo) {
  return { name, description, parameters: input_schema };
}

/** Estimated tokens that the definition costs in every request. */
export function tokensOf(info: ToolInfo): number {
  return estimateTokens(JSON.stringify(definitionOf(info)));
}

export function lintTools(infos: readonly ToolInfo[]): Lint[] {
  return infos.flatMap((info) => {
    const lints: Lint[] = [];
    const tell = (code: Lint['code'], message: string) => lints.push({ tool: info.name, code, message });
    const sentences = sentencesIn(info.description);
    if (sentences > MOST_SENTENCES)
      tell('long_description', `its description has ${sentences} sentences, over ${MOST_SENTENCES}: every request carries them`);
    if (!WHEN.test(info.description)) tell('no_when', 'its description does not say when to use it ("Use it for ...", "用于…")');
    const { properties, required } = info.input_schema;
    for (const name of Array.isArray(required) ? required : []) {
      if (!isObject(properties) || !Object.hasOwn(properties, String(name)))
        tell('undeclared_required', `${name} is required and not declared among its properties`);
    }
    const twin = twinOf(info, infos);
    if (twin) tell('similar', `it says nearly the same as ${twin}: say in both when to use which, or make them one`);
    if ((info.examples ?? []).length === 0)
      tell('no_examples', 'it has no examples; two, a usual one and an edge case, help a model to choose and to call it');
    return lints;
  });
}

function sentencesIn(text: string): number {
  const plain = text.replace(/\b(?:e\.g|i\.e|etc|vs|approx|no)\.|\d\.\d|\b\w+\.\w+/gi, 'x');
  return plain.split(/[.!?](?:\s|$)|[。！？]/).filter((part) => part.trim() !== '').length;
}

/** The tool that says nearly the same. */
function twinOf(info: ToolInfo, infos: readonly ToolInfo[]): string | undefined {
  const isTwin = (other: ToolInfo) => other.description.trim() === info.description.trim() || likeness(info, other) >= ALIKE;
  return infos.find((other) => other !== info && isTwin(other))?.name;
}
