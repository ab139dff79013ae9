/**
 * Text of strangers as a model may read it: what looks like a role, a call or a boundary is made plain text, what no person would see is
 * taken out, each with a mark where it stood. Only the text that is shown; the raw result stays in the log. All of it is linear.
 */

const GONE = { text: '[hidden text removed]', comment: '[hidden comment removed]', element: '[hidden element removed]' };
/** Tag characters and the higher variation selectors can carry whole sentences that nobody sees. */
const SMUGGLED = /(?:[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}])+|[\ufe00-\ufe0f]{2,}/gu;
/** Zero width, bidi controls, fillers and the like; joiners and the selectors of emoji are looked at apart. */
const UNSEEN = /[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]--[\u200c\u200d\ufe0e\ufe0f]]+/gv;
/** Joiners have a use within words of some scripts and within emoji, never beside Latin or Han letters, and never twice. */
const JOINERS =
  /(?<![^\0-\u024f\u3000-\u9fff])[\u200c\u200d]+|[\u200c\u200d]+(?![^\0-\u024f\u3000-\u9fff])|(?<=[\u200c\u200d])[\u200c\u200d]+/g;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;

/** Names of tags that mean something to models: roles, calls and their parts, thinking, turns, our own boundary. */
const NAMES = [
  's|bos|eos|im_start|im_end|start_of_turn|end_of_turn|eot_id|turn|model|human|user|assistant|developer|system[\\w-]*|instructions?|prompt',
  'tools?|tool[_-][\\w-]+|functions?|function[_-][\\w-]+|invoke|parameters?|arg_key|arg_value|think|thinking|reasoning|untrusted[\\w-]*',
].join('|');
const TAG = new RegExp(`[<＜](?=(?:\\s{0,3}/\\s{0,3})?(?:[a-z]+:)?(?:${NAMES})(?![\\w-]))`, 'gi');
const TOKEN = /[<＜](?=\s{0,3}[|｜][^|｜<>\n]{1,60}[|｜]\s{0,3}[>＞])/g;
const BRACKETS = /<<(\/?SYS)>>|\[(\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS?|TOOL_RESULTS?|TOOL_CONTENT|AVAILABLE_TOOLS|THINK))\]/g;

const SPEAKERS = 'Human|Assistant|System|User|Developer|Instructions?|Response|Thought|Action(?: Input)?|Observation|Final Answer';
/** At the beginning of a line, which within JSON text is written \n. */
const SPEAKER = new RegExp(
  `(^|\\n|\\r|\\\\[nr])([ \\t*#_]{0,20})(${SPEAKERS}|${SPEAKERS.toUpperCase()}|系统|用户|助手|人类|思考|动作|动作输入|观察|最终答案)(?=[ \\t*_]{0,10}[:：])`,
  'g',
);

/** Keeps JSON text JSON: nothing that is put in has a quote or a backslash. */
export function neutralised(text: string): string {
  return withoutHidden(text.replace(SMUGGLED, GONE.text).replace(UNSEEN, '').replace(JOINERS, '').replace(COMMENT, GONE.comment))
    .replace(TOKEN, '‹')
    .replace(TAG, '‹')
    .replace(BRACKETS, (_, tag?: string, word?: string) => `⟦${tag ?? word}⟧`)
    .replace(SPEAKER, '$1$2> $3');
}

const ANY_TAG = /<(\/?)([a-z][a-z0-9]{0,20})\b([^<>]{0,2000})>/gi;
const HIDES =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity|max-height)\s*:\s*0(?![.\d]*[1-9])|^\s*hidden(?=[\s=/]|$)|\shidden(?=[\s=/]|$))/i;
export const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** By its attributes: an element that a browser would not show. */
export function isHidden(attributes: string): boolean {
  return HIDES.test(attributes);
}

/** Without HTML elements that a browser would not show. One that is never closed loses its tag only. */
function withoutHidden(text: string): string {
  if (!/<[a-z][^<>]{0,2000}(?:none|hidden|:\s*0)/i.test(text)) return text;
  const tags = [...text.matchAll(ANY_TAG)];
  let kept = '';
  let at = 0;
  for (let index = 0; index < tags.length; index++) {
    const [tag, slash, name = '', attributes = ''] = tags[index]!;
    if (slash || !isHidden(attributes)) continue;
    const from = tags[index]!.index;
    const close = VOID.test(name) || attributes.endsWith('/') ? index : closing(tags, index, name);
    const end = tags[close]!.index + tags[close]![0].length;
    kept += text.slice(at, from) + GONE.element;
    at = close === index ? from + tag.length : end;
    index = close;
  }
  return kept + text.slice(at);
}

/** Tags that are looked through for the end of one hidden element. */
const LOOKED_THROUGH = 500;

function closing(tags: readonly RegExpMatchArray[], opening: number, name: string): number {
  let depth = 0;
  for (let index = opening; index < Math.min(tags.length, opening + LOOKED_THROUGH); index++) {
    const [, slash, other = ''] = tags[index]!;
    if (other.toLowerCase() !== name.toLowerCase()) continue;
    depth += slash ? -1 : 1;
    if (depth === 0) return index;
  }
  return opening;
}
