/**
 * Claimed actions: "I have sent the mail", 已发送邮件. Each is held against the calls that succeeded, in this run and in the talk
 * before it. One that nothing bears out is sent back once; what is claimed all the same is delivered as not verified. Only what the
 * assistant says it did counts: no questions, offers, plans, denials, quotations, and no report of what others did.
 */

import type { Claim, Rule, State, ToolInfo } from '../kernel/types.ts';
import { ACTIONS, type Action, TEXT_WORK } from './actions.ts';
import { numbersOf } from './numbers.ts';
import { clausesOf, isDenied, isOffered, isPlanned, ownSentences } from './sentences.ts';

const CLAIMS = 'claims';
/** Characters that are looked at. */
const LOOKED_AT = 20_000;

/** A before-finish rule. `tools` gives the tools of the run. */
export function claimsRule(tools: () => readonly ToolInfo[]): Rule {
  return function claims(state) {
    const { claims: isOn, answer_returns: returns } = numbersOf(state);
    if (!isOn || (state.trips[CLAIMS] ?? 0) >= returns || state.step >= state.limits.max_steps) return undefined;
    const unproven = claimsOf(state, tools()).find(({ tool }) => tool === undefined);
    if (!unproven) return undefined;
    const message = TEXT[state.language].back(unproven.text);
    return { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: CLAIMS, verdict: 'nudge', message } }] };
  };
}

/** Why the answer is not verified, for people; undefined when every claimed action is in the ledger. */
export function unprovenClaim(claims: readonly Claim[], state: State): string | undefined {
  const unproven = claims.filter(({ tool }) => tool === undefined);
  return unproven.length === 0 ? undefined : TEXT[state.language].unverified(unproven.map(({ text }) => text).join('; '));
}

/** What the answer says was done, each with the tool whose successful call bears it out. */
export function claimsOf(state: State, tools: readonly ToolInfo[]): Claim[] {
  const { answer, answer_by, output_schema } = state;
  if (!answer || answer_by === 'rail' || output_schema || !numbersOf(state).claims) return [];
  const looked = answer.slice(0, LOOKED_AT);
  if (!namesAction(looked)) return [];
  const talk = talkOf(state);
  const claims: Claim[] = [];
  for (const sentence of ownSentences(looked)) {
    for (const clause of /[?？]\s*$/.test(sentence) || CONDITION.test(sentence) ? [] : clausesOf(sentence)) {
      if (talk.results.some((result) => result.includes(clause.trim()))) continue;
      for (const action of claimed(clause, talk)) {
        const tool = talk.done.find((name) => bearsOut(action, name, tools));
        const claim: Claim = { text: clause.trim().replace(/[，,:：]$/, ''), ...(tool === undefined ? {} : { tool }) };
        if (!claims.some(({ text, tool: other }) => text === claim.text && other === tool)) claims.push(claim);
      }
    }
  }
  return claims;
}

/** Most answers have none of the verbs: that is seen before anything else is looked at. */
function namesAction(answer: string): boolean {
  const plain = answer.normalize('NFKC');
  return verbs().some((pattern) => pattern.test(plain));
}

/** What follows is said of a case that may never come. */
const CONDITION = /^\W*(?:if|when|once|after|unless|suppose)\b|^\s*(?:如果|若|假如|一旦|当|倘若)/i;

interface Talk {
  /** All that the user has asked for, and the last of it. */
  asked: string;
  request: string;
  /** Tools that have succeeded, newest first. */
  done: string[];
  results: string[];
}

function talkOf({ messages, ledger }: State): Talk {
  const said = messages.filter((message) => message.role === 'user').map(({ content }) => content);
  const results = messages.filter((message) => message.role === 'tool' && message.success);
  const done = [
    ...results.flatMap((message) => (message.role === 'tool' ? [message.name] : [])),
    ...ledger.filter(hasRun).map(({ name }) => name),
  ];
  return {
    asked: said.join('\n').slice(-LOOKED_AT),
    request: (said.at(-1) ?? '').slice(0, LOOKED_AT),
    done: [...new Set(done.reverse())],
    results: results.map(({ content }) => content),
  };
}

function hasRun({ success, ran }: State['ledger'][number]): boolean {
  return success && ran === true;
}

// ---- what is a claim ---------------------------------------------------------------------------------------

/** The actions of a clause; what is joined by "and" has the subject of what comes before. */
function claimed(clause: string, talk: Talk): Action[] {
  if (isDenied(clause) || isOffered(clause) || isPlanned(clause)) return [];
  const found: Action[] = [];
  for (const part of clause.split(/\band (?:then |also |have )?|并且?|且|以及/u)) {
    const subject = found.length === 0 ? '' : /\p{Script=Han}/u.test(part) ? '已' : 'I ';
    const action = actionOf(subject + part.trim(), talk);
    if (action) found.push(action);
  }
  return found;
}

function actionOf(clause: string, talk: Talk): Action | undefined {
  const isWriting = TEXT_WORK.test(talk.request);
  const possible = ACTIONS.filter(
    (action) => (!action.thing || action.thing.test(clause)) && (!isWriting || isAlsoAsked(action, talk.request)),
  );
  const self = saidOf(clause, possible, selfPatterns);
  if (self) return self;
  if (isAskedAbout(talk.request)) return undefined;
  // "The order is cancelled" may as well be a report: it is a claim only where it was asked to be done and nothing reports it.
  if (/[你您他她]们?(?:的\S{0,6})?(?:已|刚)|\b(?:you|he|she|they)(?:'ve| have|'s| has)?\s/i.test(clause)) return undefined;
  return saidOf(
    clause,
    possible.filter((action) => action.asks.test(talk.asked) && !isReported(action, talk)),
    passivePatterns,
  );
}

/** Besides the text that is written: "and send it". What stands behind a colon is material. */
function isAlsoAsked(action: Action, request: string): boolean {
  const parts = request.replace(/[:：][\s\S]*/, '').split(/[，,。;；.]|\band\b|\bthen\b|然后|并/u);
  return parts.some(
    (part) => !TEXT_WORK.test(part) && !/已|过了|\b(?:says?|saying|that)\b|^\s*[说讲]/u.test(part) && action.asks.test(part),
  );
}

/** Of several verbs the first is what was done; after 把 and 将 the last: before it stands what it was done to. */
function saidOf(clause: string, actions: readonly Action[], patterns: (action: Action) => readonly RegExp[]): Action | undefined {
  const found = actions.flatMap((action) => {
    const ends = patterns(action).flatMap((pattern) => {
      const match = pattern.exec(clause);
      return match && isSelf(match.groups?.before ?? '') ? [match.index + match[0].length] : [];
    });
    return ends.length > 0 ? [{ action, end: Math.min(...ends) }] : [];
  });
  found.sort((a, b) => a.end - b.end);
  return /[把将]/.test(clause) ? found.at(-1)?.action : found[0]?.action;
}

const ADVERBS = '(?:now |just |already |successfully |also |then )*';
const made = new Map<string, readonly RegExp[]>();
function once(key: string, make: () => readonly RegExp[]): readonly RegExp[] {
  const patterns = made.get(key) ?? make();
  made.set(key, patterns);
  return patterns;
}

/** Of any action, in each language. */
function verbs(): readonly RegExp[] {
  const any = (key: 'did' | 'zh') => ACTIONS.map((action) => action[key]).join('|');
  return once('verbs', () => [new RegExp(any('did'), 'i'), new RegExp(any('zh'), 'u')]);
}

/** I have sent ..., Sent ..., 我已发送, 已为您发送, 我帮你发送了. */
function selfPatterns({ did, zh }: Action): readonly RegExp[] {
  return once(`self ${did}`, () => [
    new RegExp(`\\b(?:I|we)(?:'ve|\\s+have|\\s+had)?\\s+${ADVERBS}(?:(?:gone ahead and|went ahead and|managed to) )?(?:${did})\\b`, 'i'),
    new RegExp(`^\\W*(?:(?:done|ok(?:ay)?|sure|great|all set|success|finished)\\W+)?(?:successfully\\s+)?(?:${did})\\b(?!\\s+by\\b)`, 'i'),
    new RegExp(
      `^(?<before>.*?)(?:已(?:经)?(?![有知是达很由])|刚刚?|刚才|帮[你您]|为[你您]|替[你您])(?:成功)?[^，。,;；由]{0,30}?(?:${zh})`,
      'u',
    ),
    new RegExp(`^(?<before>.*?)我们?(?:[把将给向][^，。,;；]{1,24}?)?(?:${zh})(?:好|完|出)?(?:了|过|完毕|成功|完成)`, 'u'),
  ]);
}

/** The mail has been sent, 邮件已发送, 发送成功. */
function passivePatterns({ did, zh }: Action): readonly RegExp[] {
  return once(`passive ${did}`, () => [
    new RegExp(
      `\\b(?:has|have|was|were|is|are|been)\\s+${ADVERBS}(?:been\\s+)?${ADVERBS}(?:${did})\\b|\\b(?:${did})\\s+(?:successfully|✅)`,
      'i',
    ),
    new RegExp(`已(?:经)?(?![有知是达很由])(?:被)?(?:成功)?[^，。]{0,12}?(?:${zh})|(?:${zh})(?:成功|完毕|完成|好了|了)`, 'u'),
  ]);
}

/** What stands before the verb names nobody else. */
function isSelf(before: string): boolean {
  const left = before.replace(
    /我们?|好的?|没问题|是的|收到|搞定|完成|明白|OK|ok|当然|现在|刚刚?|都|也|并且?|同时|另外|此外|然后|最后|首先|以下|[\s，,。:：!！、~"…-]|按[^，]{0,10}要求|根据[^，]{0,12}|\d+[.、]/gu,
    '',
  );
  return left === '';
}

/** "Has it been sent?", 发了吗; "How do I send it?", 怎么发 */
function isAskedAbout(request: string): boolean {
  return /\b(?:did|has|have|is|are|was|were)\b[^.!]*\?|\bstatus\b|了吗|了没|有没有|是否|状态|进度|到哪|\bhow (?:do|can|to|should|does)\b|\bwhat (?:happens|if)\b|\bif i\b|\bwhy\b|怎么[^，。]{0,12}[?？]?$|如何|为什么|会怎样|如果我/i.test(
    request,
  );
}

function isReported(action: Action, { results }: Talk): boolean {
  const words = new RegExp(`\\b(?:${action.did})\\b|${action.zh}`, 'iu');
  return results.some((result) => words.test(result));
}

// ---- what bears it out -------------------------------------------------------------------------------------

function bearsOut(action: Action, name: string, tools: readonly ToolInfo[]): boolean {
  if (action.byAll) return true;
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_.-]/g, ' ');
  if (action.tool.test(words)) return true;
  const info = tools.find((tool) => tool.name === name);
  if (!info || (info.level === 'read' && !isSubAgent(info))) return false;
  const about = `${words}\n${info.description}\n${info.keywords ?? ''}`;
  // A tool that runs commands can do anything; so may one that says of itself nothing that we know.
  return (
    action.tool.test(about) ||
    ACTIONS.every((other) => other.byAll || !other.tool.test(about)) ||
    /\b(?:shell|bash|exec|command|code)\b|命令|代码/i.test(about)
  );
}

function isSubAgent({ input_schema }: ToolInfo): boolean {
  return Object.keys(input_schema.properties ?? {}).join() === 'request';
}

const TEXT = {
  en: {
    back: (claim: string) =>
      `Your answer claims an action: "${claim}". No successful call in this run did that. Either do it now with the right tool, or answer again and say plainly that it has not been done.`,
    unverified: (claim: string) => `no successful call bears out: ${claim}`,
  },
  zh: {
    back: (claim: string) =>
      `你的回答声称完成了操作：“${claim}”。但本次运行中没有任何成功的调用做过这件事。请现在用合适的工具去做，或重新回答并明确说明尚未完成。`,
    unverified: (claim: string) => `没有成功的调用能证实：${claim}`,
  },
} as const;
