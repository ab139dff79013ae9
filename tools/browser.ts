/** A real browser for pages that a fetch cannot read or that want something done: one a run, ended with it. */

import { join, relative } from 'node:path';
import type { Named } from '../src/browser/find.ts';
import { BrowserSession } from '../src/browser/session.ts';
import { typingProblem } from '../src/browser/words.ts';
import { HermesError } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import { parseUrl } from '../src/network/target.ts';
import { type JudgeContext, type Judgement, tool } from '../src/tools/define.ts';
import { hostLists } from '../src/tools/host-lists.ts';
import { endMarked, markFor } from '../src/tools/marks.ts';
import { badSetting } from '../src/tools/needs.ts';

const ACTIONS = ['open', 'read', 'click', 'type', 'screenshot', 'back', 'close'] as const;
/** Characters of the page that come with an action, and with `read`. */
const GLANCE = 4_000;
const TEXT = 10_000;
/** Milliseconds that an idle browser is kept for a run that sleeps or was left. */
const IDLE = 10 * 60_000;

interface Arguments extends Named {
  action: (typeof ACTIONS)[number];
  url?: string | undefined;
  value?: string | undefined;
  submit: boolean;
  from: number;
}

export default tool({
  name: 'browser',
  description:
    'Works with web pages in a real browser: opens, reads, follows links, clicks, types, takes screenshots; gives text, links, fields and buttons. ' +
    'Use it for pages made by scripts and for forms; not for plain pages (web_fetch), and clicks on buttons and typing are asked about.',
  level: 'dangerous',
  settingNames: ['allow_hosts', 'executable', 'sandbox'],
  untrusted: true,
  outward: true,
  timeoutMs: 60_000,
  resource: 'browser',
  input: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: [...ACTIONS], description: 'what to do' },
      url: { type: 'string', description: 'open: the address', minLength: 1, maxLength: 2000 },
      target: { type: 'string', description: 'click, type: the visible text or label of the element', minLength: 1, maxLength: 300 },
      role: {
        type: 'string',
        description: 'click, type: its role when the text fits several, such as button, link, textbox',
        pattern: '^[a-z]+$',
      },
      selector: { type: 'string', description: 'click, type: instead of target, a CSS selector', minLength: 1, maxLength: 300 },
      value: { type: 'string', description: 'type: the text; of a list, one of its options', maxLength: 10_000 },
      submit: { type: 'boolean', description: 'type: press Enter after it', default: false },
      from: { type: 'integer', description: 'read: first character', minimum: 0, default: 0 },
    },
    required: ['action'],
    additionalProperties: false,
  },
  aliases: {
    address: 'url',
    link: 'url',
    label: 'target',
    element: 'target',
    css: 'selector',
    动作: 'action',
    网址: 'url',
    目标: 'target',
    内容: 'value',
  },
  keywords:
    'browser web page site open click type fill form button login screenshot javascript 浏览器 网页 打开 点击 填写 表单 按钮 登录 截图',
  examples: [
    {
      request: 'What is on the start page of example.com?',
      arguments: { action: 'open', url: 'https://example.com' },
      result: {
        url: 'https://example.com/',
        title: 'Example Domain',
        text: 'Example Domain\nThis domain is for use in examples.',
        links: [],
      },
      answer: 'A short note: the domain is for use in examples.',
    },
    {
      request: '打开 https://example.com 并截图',
      arguments: { action: 'open', url: 'https://example.com' },
      answer: '已打开，接下来截图。',
    },
    { request: 'Go on reading the page', arguments: { action: 'read', from: 4000 } },
    { request: '截个图', arguments: { action: 'screenshot' }, result: { file: '.hermes/browser/run_1/1.png' }, answer: '截图已保存。' },
  ],
  judge: (args, context) => judged(args as Arguments, context),
  async execute(args, { context, runId, signal }) {
    const wanted = args as Arguments;
    if (wanted.action === 'close') {
      await release(runId);
      return { closed: true };
    }
    const end = () => void release(runId);
    signal.addEventListener('abort', end);
    try {
      const kept = wanted.action === 'open' ? await started(runId, context) : existing(runId);
      kept.touch();
      return await act(kept, wanted, context.workspace);
    } finally {
      signal.removeEventListener('abort', end);
    }
  },
  release,
});

// ---- the browsers of the runs ----------------------------------------------------------------------------

interface Kept {
  session: BrowserSession;
  /** What the judge saw for these arguments: the address that a link leads to, or nothing for what is clicked. */
  seen: Map<string, string | undefined>;
  touch(): void;
  end(): Promise<void>;
}
const running = new Map<string, Promise<Kept>>();

function existing(runId: string): Kept | never {
  const kept = ready.get(runId);
  if (!kept?.session.isOpen)
    throw new HermesError('no_page', 'no page is open in this run', { kind: 'tool', next: 'open an address first' });
  return kept;
}
/** Those of `running` that have started. */
const ready = new Map<string, Kept>();

async function started(runId: string, context: { workspace: string; settings: JsonObject }): Promise<Kept> {
  if (ready.get(runId)?.session.isOpen === false) await release(runId); // it crashed, or all its pages were closed
  const starting = running.get(runId) ?? start(runId, context);
  running.set(runId, starting);
  starting.catch(() => running.delete(runId));
  return starting;
}

async function start(runId: string, { workspace, settings }: { workspace: string; settings: JsonObject }): Promise<Kept> {
  const key = `browser.${runId}`;
  const force = () => endMarked(key);
  const { executable, sandbox } = readSettings(settings);
  const env = { PATH: process.env.PATH ?? '', LANG: process.env.LANG ?? 'C.UTF-8', ...markFor(key) };
  const { allow_hosts: allowHosts } = hostLists(settings);
  const session = await BrowserSession.start({ executable, sandbox, env, allowHosts, folder: folderOf(workspace, runId) }).catch(
    async (error) => {
      await force();
      throw error;
    },
  );
  let timer: NodeJS.Timeout | undefined;
  const kept: Kept = {
    session,
    seen: new Map(),
    touch() {
      clearTimeout(timer);
      timer = setTimeout(() => void release(runId), IDLE).unref();
    },
    async end() {
      clearTimeout(timer);
      await session.close(force);
    },
  };
  ready.set(runId, kept);
  return kept;
}

async function release(runId?: string): Promise<void> {
  const ids = runId === undefined ? [...running.keys()] : [runId];
  const ending = ids.map(async (id) => {
    const kept = running.get(id);
    running.delete(id);
    ready.delete(id);
    await (await kept?.catch(() => undefined))?.end();
  });
  await Promise.all(ending);
}

function folderOf(workspace: string, runId: string): string {
  return join(workspace, '.hermes', 'browser', runId.replace(/[^\w-]/g, '_'));
}

function readSettings({ executable, sandbox }: JsonObject): { executable?: string; sandbox?: boolean } {
  if (executable !== undefined && typeof executable !== 'string')
    throw badSetting('browser', 'executable', 'the path of a browser', executable);
  if (sandbox !== undefined && typeof sandbox !== 'boolean') throw badSetting('browser', 'sandbox', 'true or false', sandbox);
  return { ...(executable === undefined ? {} : { executable }), ...(sandbox === undefined ? {} : { sandbox }) };
}

// ---- before it acts --------------------------------------------------------------------------------------

/** Going and looking is reading: a link is gone to by its address, whatever scripts hang on it. All else acts, and is shown with its page. */
async function judged(args: Arguments, { runId, language }: JudgeContext): Promise<Judgement> {
  const { action, url, value } = args;
  if (action === 'open') parseUrl(needed(url, 'open', 'url'));
  if (action !== 'click' && action !== 'type') return { level: 'read' };
  if (args.target === undefined && args.selector === undefined) needed(undefined, action, 'target');
  if (action === 'type') needed(value, action, 'value');
  const { session, seen } = existing(runId);
  const { facts, frame } = await session.find(args, action);
  const problem = action === 'type' ? typingProblem(facts, value!) : undefined;
  if (problem) throw problem;
  const href = action === 'click' ? facts.href : undefined;
  if (seen.size > 1000) seen.clear();
  seen.set(keyOf(args), href);
  if (href !== undefined) return { level: 'read' };
  const words =
    language === 'zh'
      ? { page: '页面', frame: '内嵌页面', form: '表单', enter: '然后按回车' }
      : { page: 'page', frame: 'frame', form: 'form', enter: 'then Enter' };
  const inner = frame === undefined ? [] : [`${words.frame}: ${frame}`];
  const typed = action === 'type' ? [`→ ${JSON.stringify(value)}${args.submit ? `, ${words.enter}` : ''}`] : [];
  const form = facts.form === undefined ? [] : [`${words.form}: ${facts.form}`];
  return {
    level: 'dangerous',
    preview: [`${words.page}: ${await session.place()}`, ...inner, `${action}: ${facts.what}`, ...typed, ...form].join('\n'),
  };
}

function needed(given: string | undefined, action: string, name: string): string {
  if (given !== undefined) return given;
  throw new HermesError('missing_argument', `${action} needs ${name}`, { kind: 'tool', next: `call it again with ${name}` });
}

function keyOf({ action, target, role, selector }: Arguments): string {
  return JSON.stringify([action, target, role, selector]);
}

// ---- the actions -----------------------------------------------------------------------------------------

async function act({ session, seen }: Kept, args: Arguments, workspace: string): Promise<JsonObject> {
  const { action, url, value = '', submit, from } = args;
  try {
    if (action === 'screenshot') return { file: relative(workspace, await session.screenshot()), page: await session.place() };
    if (action === 'read') return { ...(await session.read(from, TEXT)) };
    if (action === 'open') await session.open(needed(url, 'open', 'url'));
    if (action === 'back') await session.back();
    if (action === 'click') await click(session, seen, args);
    if (action === 'type') await session.type(await session.find(args, 'type'), value, submit);
    return { ...(await session.read(0, GLANCE)) };
  } catch (error) {
    const hangs = (error as { code?: unknown }).code === 'page_hangs'; // then nothing is to be had from it
    const kept = hangs ? [] : (await session.keepFailure()).map((file) => relative(workspace, file));
    throw withKept(error as Error, kept);
  }
}

async function click(session: BrowserSession, seen: ReadonlyMap<string, string | undefined>, args: Arguments): Promise<void> {
  const key = keyOf(args);
  if (!seen.has(key)) throw new HermesError('no_page', 'the page has gone since', { kind: 'tool', next: 'open it again' });
  const href = seen.get(key);
  if (href !== undefined) await session.open(href);
  else await session.click(await session.find(args, 'click'));
}

function withKept(error: Error, files: readonly string[]): HermesError {
  const known = error instanceof HermesError ? error : undefined;
  const message = known?.message ?? error.message.split('\n')[0]!;
  const kept = files.length > 0 ? `; the page was kept for people: ${files.join(', ')}` : '';
  const next = known?.next === undefined ? {} : { next: known.next };
  return new HermesError(known?.code ?? 'browser_failed', `${message}${kept}`, { kind: 'tool', ...next, cause: error });
}
