/** One browser of one run: where it is, what it does there, and what it may reach. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { HermesError } from '../kernel/errors.ts';
import { NOT_CONNECTED, type OpenProxy, openProxy } from '../network/proxy.ts';
import { parseUrl } from '../network/target.ts';
import { type Found, findElement, type Named, nameOf, visibleFrames } from './find.ts';
import { Happenings } from './happenings.ts';
import { type PageText, readPage } from './in-page.ts';
import { type LaunchOptions, launchBrowser } from './launch.ts';
import { within } from './within.ts';
import { failure, notClicked, notLoaded, notTaken, optionOf, typingProblem } from './words.ts';

/** Milliseconds: for an element, for a page to answer, to be whole, for more to come of one that shows little, for reading what is there. */
const ELEMENT = 8_000;
const PAGE = 20_000;
const WHOLE = 10_000;
const MORE = 3_000;
const READ = 3_000;
/** Characters below which a page has not said much. */
const LITTLE = 200;
/** Characters of a page's text that are taken. */
const MOST_TEXT = 400_000;
const MOST_PAGES = 5;

export interface SessionOptions extends Omit<LaunchOptions, 'proxyPort'> {
  /** Reached whatever their address and port. */
  allowHosts: readonly string[];
  /** Where screenshots are kept; made when there is one. */
  folder: string;
}

export class BrowserSession {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #proxy: OpenProxy;
  readonly #folder: string;
  readonly #happenings: Happenings;
  #page: Page | undefined;
  #files = 0;

  static async start(options: SessionOptions): Promise<BrowserSession> {
    const happenings = new Happenings(options.allowHosts);
    const proxy = await openProxy((url) => happenings.addressOf(url));
    let browser: Browser | undefined;
    try {
      browser = await launchBrowser({ ...options, proxyPort: proxy.port! });
      const context = await browser.newContext({ acceptDownloads: false, serviceWorkers: 'block', viewport: { width: 1280, height: 900 } });
      return new BrowserSession(browser, context, proxy, options.folder, happenings);
    } catch (error) {
      await browser?.close();
      await proxy.close();
      throw error;
    }
  }

  private constructor(browser: Browser, context: BrowserContext, proxy: OpenProxy, folder: string, happenings: Happenings) {
    this.#browser = browser;
    this.#context = context;
    this.#proxy = proxy;
    this.#folder = folder;
    this.#happenings = happenings;
    context.setDefaultTimeout(ELEMENT);
    context.setDefaultNavigationTimeout(PAGE);
    happenings.watch(context);
    context.on('page', (page) => {
      if (context.pages().length > MOST_PAGES) return void page.close();
      if (this.#page) happenings.note('this is a new window; back closes it');
      this.#page = page; // what was opened last is looked at
      happenings.watchPage(page);
    });
    context.on('close', () => {
      this.#page = undefined;
    });
  }

  get isOpen(): boolean {
    return this.#browser.isConnected() && this.#current() !== undefined;
  }

  async open(address: string): Promise<void> {
    const url = parseUrl(address);
    this.#happenings.forget();
    const page = this.#current() ?? (await this.#context.newPage());
    const response = await this.#reach(page.goto(url.href, { waitUntil: 'commit' }), url);
    if (response?.headers()['proxy-status']?.startsWith(NOT_CONNECTED)) throw notLoaded(url.host, new Error('ERR_CONNECTION'), PAGE / 1000);
    const status = response?.status() ?? 200;
    if (status >= 400) this.#happenings.note(`the server answers with status ${status}`);
    await this.#whole();
  }

  /** To the page before; a window that a page has opened is closed. */
  async back(): Promise<void> {
    const page = this.#here();
    if ((await page.goBack({ waitUntil: 'domcontentloaded' })) !== null) return;
    if (this.#context.pages().length === 1) throw failure('no_page', 'there is no page before this one', 'open an address');
    await page.close();
  }

  /** The one visible element that is meant, in the page or else in one of its frames. */
  async find(named: Named, kind: 'click' | 'type'): Promise<Found> {
    const found = await findElement(this.#here(), named, kind);
    if (found) return found;
    const { links, buttons, fields } = await this.#text(1);
    const there = kind === 'type' ? fields.map(({ label }) => label) : [...buttons, ...links.map(({ text }) => text)];
    throw failure(
      'no_element',
      `nothing visible fits ${nameOf(named)}`,
      `there are: ${there.filter(Boolean).slice(0, 30).join(' | ') || 'none'}`,
    );
  }

  async click({ locator, facts }: Found): Promise<void> {
    await locator.click().catch((error: Error) => {
      throw notClicked(facts.what, error, ELEMENT / 1000);
    });
    await this.#settle();
  }

  async type({ locator, facts }: Found, value: string, submit: boolean): Promise<void> {
    const problem = typingProblem(facts, value);
    if (problem) throw problem;
    const { type, options } = facts;
    try {
      if (options) await locator.selectOption({ label: optionOf(options, value)! });
      else await locator.fill(value);
    } catch {
      throw notTaken(facts, value); // a page tells no more of it
    }
    // A date that is none leaves the field empty without a word.
    if (value !== '' && /^(?:date|time|month|week|datetime-local)$/.test(type) && (await locator.inputValue()) === '')
      throw notTaken(facts, value);
    if (submit) await locator.press('Enter');
    await this.#settle();
  }

  /** Where it is, in a line for people. */
  async place(): Promise<string> {
    const page = this.#here();
    return `${page.url()} "${await this.#steady((now) => now.title())}"`;
  }

  /** The text from a character on, `most` of them, and what has happened since it was told last. */
  async read(from: number, most: number) {
    const whole = await this.#text(MOST_TEXT);
    const { text, type: _, hasScripts: __, ...page } = whole;
    const strange = strangeness(whole);
    if (strange) this.#happenings.note(strange);
    const end = from + most;
    return {
      url: this.#here().url(),
      ...page,
      text: text.slice(from, end),
      ...(text.length > end ? { next: `the text goes on: read with from ${end} (of ${text.length})` } : {}),
      ...this.#happenings.told(),
    };
  }

  /** Path of the image. */
  async screenshot(): Promise<string> {
    const file = await this.#file('png');
    await this.#here().screenshot({ path: file, timeout: ELEMENT });
    return file;
  }

  /** What the page was when something failed: its source and its look, as far as they can be had. */
  async keepFailure(): Promise<string[]> {
    const page = this.#current();
    if (!page) return [];
    const source = await this.#file('html');
    const image = source.replace(/html$/, 'png');
    const kept = await Promise.allSettled([
      within(page.content(), READ).then((html) => writeFile(source, html.slice(0, 5_000_000), { mode: 0o600 })),
      page.screenshot({ path: image, timeout: READ }),
    ]);
    return [source, image].filter((_, index) => kept[index]!.status === 'fulfilled');
  }

  /** Ends the browser; `force` ends what does not end by itself. */
  async close(force: () => Promise<void>): Promise<void> {
    await within(this.#browser.close(), READ).catch(() => undefined); // then by force
    await force();
    await this.#proxy.close();
  }

  // ---- the page ------------------------------------------------------------------------------------------

  #current(): Page | undefined {
    if (this.#page?.isClosed()) this.#page = this.#context.pages().at(-1);
    return this.#page;
  }

  #here(): Page {
    const page = this.#current();
    if (!page) throw failure('no_page', 'no page is open', 'open an address first');
    return page;
  }

  /** A page that is not whole in time is read as far as it has come; one that shows little at first, as scripts make them, gets a moment for more. */
  async #whole(): Promise<void> {
    const page = this.#here();
    const isWhole = await page.waitForLoadState('domcontentloaded', { timeout: WHOLE }).then(
      () => true,
      () => false,
    );
    this.#checkPlace();
    if (!isWhole) return this.#happenings.note(`the page was not whole after ${WHOLE / 1000} s: this is what it shows so far`);
    const { text, hasScripts } = await this.#text(LITTLE);
    if (text.length < LITTLE && hasScripts) await page.waitForLoadState('networkidle', { timeout: MORE }).catch(() => undefined);
  }

  /** A navigation; an address that the proxy refused is named with the reason. */
  async #reach<T>(going: Promise<T>, url: URL): Promise<T> {
    try {
      const response = await going;
      this.#checkPlace();
      return response;
    } catch (error) {
      if (error instanceof HermesError) throw error;
      const why = this.#happenings.refusalOf(url.host) ?? this.#happenings.refusalOf();
      if (why !== undefined)
        throw failure('address_refused', why, 'if this host is meant, its owner can name it in [tools.browser] allow_hosts');
      await this.#stop();
      throw notLoaded(url.host, error as Error, PAGE / 1000);
    }
  }

  /** What still loads would keep the page that is there from answering. */
  async #stop(): Promise<void> {
    const stopped = this.#context.newCDPSession(this.#here()).then((session) => session.send('Page.stopLoading'));
    await within(stopped, READ).catch(() => undefined); // then it tells itself that it hangs
  }

  /** A plain page of the proxy stands where an http address was refused. */
  #checkPlace(): void {
    const url = this.#here().url();
    const host = URL.canParse(url) ? new URL(url).host : '';
    const why = this.#happenings.refusalOf(host);
    if (why !== undefined)
      throw failure('address_refused', why, 'if this host is meant, its owner can name it in [tools.browser] allow_hosts');
    if (!/^(?:https?:|about:blank$)/.test(url))
      throw failure('scheme_refused', `${url.slice(0, 100)} is no page of the web`, 'go back, or open an address');
  }

  /** What a click or a key set off gets a moment, and the page that it leads to the time to load. */
  async #settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await this.#here()
      .waitForLoadState('domcontentloaded', { timeout: ELEMENT })
      .catch(() => undefined); // it is read as far as it has come
    this.#checkPlace();
  }

  async #text(most: number): Promise<PageText> {
    this.#checkPlace();
    const whole = await this.#steady((page) => page.evaluate(readPage, most));
    const [, ...frames] = await visibleFrames(this.#here());
    for (const frame of frames) {
      const inner = await within(frame.evaluate(readPage, most), READ).catch(() => undefined); // it has gone, or never answers
      if (!inner || inner.text + inner.fields.length === '0') continue;
      whole.text = `${whole.text}\n\n[frame ${frame.url().slice(0, 200)}]\n${inner.text}`.slice(0, most);
      for (const kind of ['links', 'fields', 'buttons'] as const) (whole[kind] as unknown[]).push(...inner[kind]);
    }
    return whole;
  }

  /** A page that goes elsewhere just then is waited for, and asked again. */
  async #steady<T>(ask: (page: Page) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await within(ask(this.#here()), READ);
      } catch (error) {
        if (tries === 3 || !/context was destroyed|navigat|detached/i.test((error as Error).message)) throw error;
        await this.#settle();
      }
    }
  }

  async #file(extension: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#files += 1;
    return join(this.#folder, `${this.#files}.${extension}`);
  }
}

/** What a model should know of a page that gives little to read. */
function strangeness({ text, type, hasScripts, fields, buttons, links }: PageText): string | undefined {
  if (type.startsWith('image/')) return 'this is an image: screenshot keeps it for the user';
  if (!/^text\/|html|xml|json/.test(type)) return `this is ${type}, no page: its content cannot be read here; tell the user`;
  if (text.length >= LITTLE || fields.length + buttons.length + links.length > 0) return undefined;
  if (hasScripts) return 'the page shows little; when its scripts are still loading it, read again';
  return text === '' ? 'the page shows no text' : undefined;
}
