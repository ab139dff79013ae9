/** One browser of one run: where it is, what it does there, and what it may reach. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { HermesError } from '../kernel/errors.ts';
import { type OpenProxy, openProxy } from '../network/proxy.ts';
import { checkTarget, parseUrl, systemResolve } from '../network/target.ts';
import { type ElementFacts, elementFacts, type PageText, readPage } from './in-page.ts';
import { type LaunchOptions, launchBrowser } from './launch.ts';

/** Milliseconds: for an element, for a page, for reading what is there. */
const ELEMENT = 8_000;
const PAGE = 20_000;
const READ = 3_000;
/** Characters of a page's text that are taken. */
const MOST_TEXT = 400_000;
const MOST_PAGES = 5;

export interface SessionOptions extends Omit<LaunchOptions, 'proxyPort'> {
  /** Reached whatever their address and port. */
  allowHosts: readonly string[];
  /** Where screenshots are kept; made when there is one. */
  folder: string;
}
/** How an element is named: by what a person sees (`target`), by its role besides, or by a CSS selector. */
export interface Named {
  target?: string | undefined;
  role?: string | undefined;
  selector?: string | undefined;
}

export class BrowserSession {
  readonly #browser: Browser;
  readonly #context: BrowserContext;
  readonly #proxy: OpenProxy;
  readonly #folder: string;
  readonly #refused: Map<string, string>;
  #page: Page | undefined;
  #files = 0;

  static async start(options: SessionOptions): Promise<BrowserSession> {
    const refused = new Map<string, string>();
    const proxy = await openProxy(async (url) => {
      try {
        const [address] = await checkTarget(url, { allowHosts: options.allowHosts, resolve: systemResolve });
        return address!;
      } catch (error) {
        if (refused.size < 100) refused.set(url.host, (error as Error).message);
        throw error;
      }
    });
    let browser: Browser | undefined;
    try {
      browser = await launchBrowser({ ...options, proxyPort: proxy.port! });
      const context = await browser.newContext({ acceptDownloads: false, serviceWorkers: 'block', viewport: { width: 1280, height: 900 } });
      return new BrowserSession(browser, context, proxy, options.folder, refused);
    } catch (error) {
      await browser?.close();
      await proxy.close();
      throw error;
    }
  }

  private constructor(browser: Browser, context: BrowserContext, proxy: OpenProxy, folder: string, refused: Map<string, string>) {
    this.#browser = browser;
    this.#context = context;
    this.#proxy = proxy;
    this.#folder = folder;
    this.#refused = refused;
    context.setDefaultTimeout(ELEMENT);
    context.setDefaultNavigationTimeout(PAGE);
    context.on('page', (page) => {
      if (context.pages().length > MOST_PAGES) void page.close();
      else this.#page = page; // what was opened last is looked at
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
    this.#refused.clear();
    const page = this.#current() ?? (await this.#context.newPage());
    await this.#reach(page.goto(url.href, { waitUntil: 'domcontentloaded' }), url);
  }

  async back(): Promise<void> {
    const page = this.#here();
    if ((await page.goBack({ waitUntil: 'domcontentloaded' })) === null)
      throw failure('no_page', 'there is no page before this one', 'open an address');
  }

  /** The one visible element that is meant, and what it is. */
  async find(named: Named, kind: 'click' | 'type'): Promise<{ locator: Locator; facts: ElementFacts }> {
    const page = this.#here();
    const tried = candidates(page, named, kind);
    for (const candidate of tried) {
      const visible = candidate.filter({ visible: true });
      const count = await within(visible.count(), READ).catch((error: Error) => {
        throw named.selector === undefined
          ? error
          : failure('bad_selector', `${named.selector} is no CSS selector`, 'name the element by target and role');
      });
      if (count > 1)
        throw failure('not_unique', `${count} elements fit ${nameOf(named)}`, 'give its role, the whole of its text, or a CSS selector');
      if (count === 1) return { locator: visible, facts: await within(visible.evaluate(elementFacts), READ) };
    }
    const { links, buttons, fields } = await this.#text(1);
    const there = kind === 'type' ? fields.map(({ label }) => label) : [...buttons, ...links.map(({ text }) => text)];
    throw failure(
      'no_element',
      `nothing visible fits ${nameOf(named)}`,
      `there are: ${there.filter(Boolean).slice(0, 30).join(' | ') || 'none'}`,
    );
  }

  async click(locator: Locator): Promise<void> {
    await locator.click();
    await this.#settle();
  }

  async type(locator: Locator, value: string, submit: boolean): Promise<void> {
    const isList = (await within(locator.evaluate(elementFacts), READ)).what.startsWith('select');
    if (isList) await locator.selectOption({ label: value });
    else await locator.fill(value);
    if (submit) await locator.press('Enter');
    await this.#settle();
  }

  /** Where it is, in a line for people. */
  async place(): Promise<string> {
    const page = this.#here();
    return `${page.url()} "${await this.#steady((now) => now.title())}"`;
  }

  /** The text from a character on, `most` of them. */
  async read(from: number, most: number) {
    const { text, ...page } = await this.#text(MOST_TEXT);
    const refused = [...this.#refused].map(([host, why]) => `${host}: ${why}`).slice(0, 5);
    const end = from + most;
    return {
      url: this.#here().url(),
      ...page,
      text: text.slice(from, end),
      ...(text.length > end ? { next: `the text goes on: read with from ${end} (of ${text.length})` } : {}),
      ...(refused.length > 0 ? { refused } : {}),
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

  /** A navigation; an address that the proxy refused is named with the reason. */
  async #reach(going: Promise<unknown>, url: URL): Promise<void> {
    try {
      await going;
    } catch (error) {
      const why = this.#refused.get(url.host) ?? [...this.#refused.values()].at(-1);
      if (why !== undefined)
        throw failure('address_refused', why, 'if this host is meant, its owner can name it in [tools.browser] allow_hosts');
      throw failure('not_reached', `${url.host} did not load: ${firstLine(error)}`, 'check the address, or try again later');
    }
    this.#checkPlace();
  }

  /** A plain page of the proxy stands where an http address was refused. */
  #checkPlace(): void {
    const url = this.#here().url();
    const host = URL.canParse(url) ? new URL(url).host : '';
    const why = this.#refused.get(host);
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

  #text(most: number): Promise<PageText> {
    this.#checkPlace();
    return this.#steady((page) => page.evaluate(readPage, most));
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

/** The likeliest first: what is named exactly, then in part. */
function candidates(page: Page, { target, role, selector }: Named, kind: 'click' | 'type'): Locator[] {
  if (selector !== undefined) return [page.locator(`css=${selector}`)];
  const name = target ?? '';
  return [true, false].flatMap((exact) => {
    if (role !== undefined) return [page.getByRole(role as 'link', { name, exact })];
    if (kind === 'type')
      return [page.getByLabel(name, { exact }), page.getByPlaceholder(name, { exact }), page.getByRole('textbox', { name, exact })];
    const named = page.getByRole('button', { name, exact }).or(page.getByRole('link', { name, exact }));
    return [named, page.getByLabel(name, { exact }), page.getByText(name, { exact })];
  });
}

function nameOf({ target, role, selector }: Named): string {
  return selector ?? [role, target === undefined ? undefined : `"${target}"`].filter(Boolean).join(' ');
}

function failure(code: string, message: string, next: string): HermesError {
  return new HermesError(code, message, { kind: 'tool', next });
}

function firstLine(error: unknown): string {
  return (error as Error).message.split('\n')[0]!.replace(/^page\.\w+: /, '');
}

/** A page whose script never ends answers nothing. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(failure('page_hangs', `the page did not answer within ${ms / 1000} s`, 'open another page')),
    ms,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined); // its end comes too late for anybody
  }
}
