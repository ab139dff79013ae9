/** The labels of a ReAct reply: where they stand, and the answer behind the last of them. Shared by the reader and the streamed view. */

export type Label = 'thought' | 'action' | 'input' | 'observation' | 'answer' | 'highlights';

const WORDS: Record<Label, readonly string[]> = {
  thought: ['thought', '思考', '想法'],
  input: ['action input', 'action arguments', '行动输入', '动作输入'],
  action: ['action', '行动', '动作'],
  observation: ['observation', '观察结果', '观察'],
  answer: ['final answer', '最终答案', '最终回答', '最终答复'],
  highlights: ['highlights', '值得记住'],
};
const LABELS = Object.keys(WORDS) as Label[];
/** A label stands at the beginning of a line, perhaps in bold or as a heading; those need no colon when they stand alone. */
const PATTERN = new RegExp(
  `^[ \\t]*[#>*_ \\t]*(?:${LABELS.map((label) => `(${WORDS[label].join('|')})`).join('|')})[*_ \\t]*(?:[:：][*_]*[ \\t]*|(?<=^[ \\t]*[#*].*)$)`,
  'gim',
);

export interface Place {
  label: Label;
  /** Characters of the text that the label covers. */
  from: number;
  to: number;
}

export function labelsIn(text: string): Place[] {
  return [...text.matchAll(PATTERN)].map((match) => {
    const label = LABELS[match.findIndex((held, i) => i > 0 && held !== undefined) - 1]!;
    return { label, from: match.index, to: match.index + match[0].length };
  });
}

export function withoutLabels(text: string): string {
  return text.replace(PATTERN, '').trim();
}

/** Whether more of this line could still make it a label that matters behind an answer. */
export function mayBeLabel(line: string): boolean {
  const begun = line.replace(/^[#>*_ \t]+/, '').toLowerCase();
  return ENDS_ANSWER.some((label) =>
    WORDS[label].some((word) => word.startsWith(begun) || /^[*_ \t]*[:：]?[*_ \t]*$/.test(rest(begun, word))),
  );
}

function rest(text: string, word: string): string {
  return text.startsWith(word) ? text.slice(word.length) : text;
}

/** What cannot belong to an answer. An `Action:` in it may be what people have to do. */
export const ENDS_ANSWER: readonly Label[] = ['thought', 'observation', 'highlights', 'answer'];

/** Facts behind `Highlights:`: a JSON list, one a line, or between semicolons. */
export function highlightList(text: string): string[] {
  const list = /^\s*(\[[\s\S]*\])/.exec(text)?.[1];
  if (list !== undefined) {
    try {
      const value: unknown = JSON.parse(list);
      if (Array.isArray(value)) return value.filter((one) => typeof one === 'string');
    } catch {
      // read as lines below
    }
  }
  const items = text.split(/\n|[;；]/).map((line) => line.replace(/^\s*(?:[-*•·]|\d+[.、)])\s*|[;；]$/g, '').trim());
  return items.filter((item) => item !== '' && !/^(?:\[\]|\(?(?:none|nothing|n\/a|无|没有)\)?)[.。]?$/i.test(item));
}
