/** What a reply is searched for: the tags, tokens and beginnings by which the known dialects announce something. */

const PREFIX = '(?:[｜|]DSML[｜|]|[a-z]{1,16}[:_])?';
const MARKS = {
  thinking: '<(?:think|thinking|reasoning)>|\\[THINK\\]|<\\|(?:channel|START_THINKING\\|)>',
  thinkingEnd: '</(?:think|thinking|reasoning)>|\\[/THINK\\]',
  /** What tools said, repeated or invented by the model: never a call, never the answer. */
  result: '<tool_response>|<function_results?>|<[|｜]tool▁outputs?▁begin[|｜]>',
  /** Tags behind which calls stand: Hermes, Mistral, DeepSeek, Kimi, LFM, Gemma, Llama, Granite, Command, Olmo ... */
  calls:
    `<${PREFIX}(?:tool_?calls?|function_?calls?|tools)>|<[|｜](?:(?:tool|function)[_▁]?calls?[\\w▁]*|python_tag|action_start|START_ACTION|tools_prefix)[|｜]?>` +
    '|<start_function_call>|\\[TOOL_CALLS?\\]|\\bfunctools(?=\\[)',
  /** Tags that hold the tool's name themselves: Qwen XML, Anthropic. */
  tagged: `<${PREFIX}(?:function=|(?:function|invoke) name=)`,
  harmony: '<\\|start\\|>assistant[^<]{0,80}<\\|channel\\|>|<\\|channel\\|>',
  action: '^[ \\t]*\\**(?:Action|行动|动作)\\**[ \\t]*[:：]',
  fence: '```[ \\t]*[\\w+-]*',
  list: '\\[\\s{0,9}(?=[\\p{L}_][\\p{L}\\p{N}_.]{0,80}\\()',
  bracket: '[{[]',
  /** The first member of a call whose object lost its bracket. */
  member: '^[ \\t]*"(?=(?:name|tool|tool_name|action|function)"\\s{0,9}[:：])',
  code: '^[ \\t]*[\\p{L}_][\\p{L}\\p{N}_.]{0,80}\\(',
};
export type MarkKind = keyof typeof MARKS;
const KINDS = Object.keys(MARKS) as MarkKind[];

function anyOf(kinds: readonly MarkKind[]): RegExp {
  return new RegExp(kinds.map((kind) => `(${MARKS[kind]})`).join('|'), 'gimu');
}
/** What needs no tag is last in the table. */
const UNTAGGED: readonly MarkKind[] = ['list', 'bracket', 'member', 'code'];
const ANY = anyOf(KINDS);
const ONLY_TAGS = anyOf(KINDS.filter((kind) => !UNTAGGED.includes(kind)));

export interface Mark {
  kind: MarkKind;
  written: string;
  from: number;
  to: number;
}

export function nextMark(text: string, at: number, onlyTags: boolean): Mark | undefined {
  const pattern = onlyTags ? ONLY_TAGS : ANY;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const kind = KINDS[match.findIndex((held, i) => i > 0 && held !== undefined) - 1]!;
  return { kind, written: match[0], from: match.index, to: match.index + match[0].length };
}

/** Where reading goes on after a call that could not be read: at the tag that ends it, or that begins the next. */
const RESUME = new RegExp(`${MARKS.calls}|${MARKS.tagged}|</(?:tool_?calls?|function_?calls?)>`, 'giu');
export function resumeAt(text: string, at: number): number {
  RESUME.lastIndex = at;
  return RESUME.exec(text)?.index ?? text.length;
}

/** What may follow a call and belongs to it: closing tags, one bracket too many. */
export const AFTER_CALL =
  /(?:\s|[}\]]|<\/(?:[｜|]DSML[｜|])?[\w:]{1,24}>|<[|｜](?:tool[_▁]?calls?[\w▁]*end|action_end|call|END_ACTION|tools_suffix)[|｜]>|<tool_call\|>|<end_function_call>|\[\/TOOL_CALLS?\]|```)+/y;

/** Tokens with which chat templates end a reply. */
const ENDS = '<\\|(?:eom_id|eot_id|im_end|end|return|end▁of▁sentence)\\|>|<｜end▁of▁sentence｜>|</s>';
const LAST = new RegExp(`(?:${ENDS})$`);
/** Closing tags and tokens that stood around calls. */
const AROUND_CALLS = new RegExp(
  `${ENDS}|<\\|(?:start|call|START_RESPONSE|END_\\w{1,20})\\|>|</(?:tool_?calls?|function_?calls?|function|invoke)>|\\[/TOOL_CALLS?\\]` +
    '|<[|｜]/?tool[_▁]?(?:calls?|outputs?)[\\w▁]*[|｜]>|<tool_call\\|>|<channel\\|>|<end_function_call>',
  'g',
);

/** What was said, without the tokens around it. A text that holds no call may talk about their tags: they stay. */
export function withoutTokens(text: string, aroundCalls: boolean): string {
  if (aroundCalls) return text.replace(AROUND_CALLS, '').trim();
  let said = text.trim();
  for (let last = LAST.exec(said.slice(-30)); last !== null; last = LAST.exec(said.slice(-30)))
    said = said.slice(0, -last[0].length).trimEnd();
  return said;
}
