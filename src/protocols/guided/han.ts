/**
 * Chinese requests have no spaces and no capitals: pieces of them are what stands between the words that hold the sentence together
 * (从, 到, 把, 的, 帮我查一下), and those words say what the piece beside them is.
 */

import type { Piece } from './pieces.ts';

/** Words that end a piece wherever they stand; those that are part of common names (和平, 呼和浩特, 现在) are spared there. */
const ENDS =
  /帮我|帮忙|给我|替我|麻烦|请问|(?:我想|我要|想要?|要)[听看吃买找订借租学喝去]|我想|我要|我的|我们|想把|查询|查看|查一下|查下|看看|看一?下|一下|有没有|有哪些|有什么|哪里|哪儿|哪些|什么|多少|怎么样?|几点|冷不冷|最新|目前|现在|附近|还有|(?:能|可以)[换买做看兑]|可以|换算成|换算|兑换成|换成|翻译成|等于|改为|设为|告诉|通知|[到去]了|(?<![收签达报听迟])到|(?<![过失])去|(?<![现正存所潜])在|(?<![呼颐雍共柔温])和(?![平谐田硕静])|(?<!目)的(?!士)|[从往把给与跟是了吗呢吧啊呀叫]/gu;
/** No value begins or ends with these; inside one they may stand. */
const LEADS = /^(?:里|块(?=..)|[一这那]?[个份张首本部些条家辆]|[我你您请要想查找看能会再就都也还有用订对将]|需要|预订|搜索?)+/u;
const TAILS = /(?:[里中上内]|需要|要|有|用|找|订|还|能|会|我|你|您|想|请)+$/u;

/** Between the words that hold the sentence together, without what the tool itself is spoken of with (`known`) and without `others`. */
export function hanPieces(request: string, known: string, others: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  for (const { 0: run, index } of request.matchAll(/\p{Script=Han}+/gu)) {
    let start = 0;
    const cuts = [...run.matchAll(ENDS)].map((match) => [match.index, match.index + match[0].length] as const);
    const inside = others
      .filter((one) => one.kind !== 'words' && one.start < index + run.length && one.end > index)
      .map((one) => [one.start - index, one.end - index] as const);
    for (const [from, to] of [...cuts, ...inside, [run.length, run.length] as const].sort((a, b) => a[0] - b[0])) {
      if (from > start) pieces.push(...partsOf(run.slice(start, from), known, index + start, request.slice(0, index + start)));
      start = Math.max(start, to);
    }
  }
  return pieces;
}

/** A Latin word right before belongs to the piece: wifi 密码. */
function partsOf(text: string, known: string, at: number, before: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const close = (end: number) => {
    const lead = LEADS.exec(text.slice(from, end))?.[0].length ?? 0;
    const bare = text.slice(from + lead, end).replace(TAILS, '');
    const latin = lead + from === 0 ? (/(?<![\p{L}\p{N}.])[A-Za-z][\w+.-]* ?$/u.exec(before)?.[0].length ?? 0) : 0;
    const start = at + from + lead;
    if (bare !== '')
      pieces.push({ kind: 'words', text: before.slice(before.length - latin) + bare, start: start - latin, end: start + bare.length });
  };
  for (let i = 0; i < text.length; ) {
    let end = i + 2;
    if (end > text.length || !known.includes(text.slice(i, end))) {
      i++;
      continue;
    }
    while (end < text.length && known.includes(text.slice(i, end + 1))) end++;
    close(i);
    from = end;
    i = end;
  }
  close(text.length);
  return pieces;
}

export interface HanSlot {
  /** Name and description. */
  about: string;
  role: 'from' | 'to' | 'none';
  /** What the tool's examples have for it. */
  examples: readonly string[];
}

const PLACE = /城市|地点|地址|地方|区域|商圈|街道|位置|哪里|会议室/;
const UNIT = /单位|货币|币种|unit|currency/;
const RECEIVER = /收件人|收信人|联系人|发给|对方/;
const NAMED = /名称|名字|标题|主题|[^户]名(?!称|字|额)|名$/;
const MAKER = /歌手|作者|导演|主演|作家|演员|乐队/;

/** 川菜 is a 菜系, and says so by its last character. */
function kindOf(about: string): string[] {
  const [, called = ''] = /^\P{Script=Han}*(\p{Script=Han}{2,3})(?!\p{Script=Han})/u.exec(about) ?? [];
  return [...called].filter((character) => !/[名号地字点]/.test(character));
}

/** How well the words around a piece of Han, and its own form, fit the argument. */
export function hanScore({ about, role, examples }: HanSlot, { start, end, text }: Piece, request: string): number {
  const [before, after] = [request.slice(0, start).trimEnd(), request.slice(end).trimStart()];
  const follows = (pattern: RegExp) => pattern.test(before);
  let score = 0;
  if (UNIT.test(about)) {
    const isFrom = follows(/[\d百千万亿][块]?$/) || follows(/^[把将]$/);
    const isTo = follows(/(?:多少|几|[换算兑转]成|等于)$/);
    if (role !== 'none' && isFrom !== isTo) return (role === 'from') === isFrom ? 3 : -3;
  } else if (text.length < 2) return -3;
  else if (follows(/[\d一二两三四五六七八九十百千万亿]$/)) score -= 2.5;
  if (role !== 'none') {
    const isFrom = follows(/[从由自]$/) || /^(?:到|去|至|飞往?)(?!了|哪)/.test(after);
    const isTo = follows(/(?:到|去|至|飞|往)$/) && !/^[，,]?(?:上车|出发)/.test(after);
    if (isFrom !== isTo) score += (role === 'from') === isFrom ? 2.5 : -2.5;
  } else if (PLACE.test(about)) {
    if (follows(/[在到去往]$/)) score += 1.5;
    if (/^(?:附近|里|的?天气)/.test(after)) score += 1;
    score += 0.4;
  }
  if (RECEIVER.test(about)) score += follows(/(?:给|跟|向|对|告诉|通知|提醒)$/) ? 2.5 : -1;
  if (MAKER.test(about)) score += /^(?:写|唱|拍|演|执导)?的\s*[《“]/.test(after) ? 2.5 : -1.5;
  if (NAMED.test(about)) score += follows(/(?:叫|名字?[是叫]|名称[是为叫]?|标题[是为]?)$/) ? 2.5 : 0.4;
  const last = text.at(-1);
  if (examples.some((example) => example.length > 1 && example.at(-1) === last && /\p{Script=Han}/u.test(last!))) score += 1.2;
  if (kindOf(about).some((character) => new RegExp(`${character}[馆店]?$`, 'u').test(text))) score += 2;
  return score;
}
