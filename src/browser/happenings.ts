/** What happens in a browser besides what was asked for: addresses that are refused, dialogs, downloads, new windows. Kept until it is told. */

import type { BrowserContext, Dialog, Page } from 'playwright-core';
import { checkTarget, type Resolved, systemResolve } from '../network/target.ts';

const MOST_NOTES = 10;
const MOST_REFUSED = 100;
/** Where Chromium goes by itself, whatever its flags say: for updates, and to tell its maker of the forms of pages. */
const ERRAND =
  /^(?:(?:update|content-autofill|optimizationguide-pa|safebrowsing)\.googleapis\.com|connectivitycheck\.gstatic\.com|clients\d\.google\.com|edgedl\.me\.gvt1\.com)$/;

export class Happenings {
  /** Host -> why. */
  readonly #refused = new Map<string, string>();
  /** Hosts that pages have asked for; the browser itself asks for others. */
  readonly #asked = new Set<string>();
  readonly #notes: string[] = [];
  readonly #allowHosts: readonly string[];

  constructor(allowHosts: readonly string[]) {
    this.#allowHosts = allowHosts;
  }

  /** For the proxy: the address to connect to. */
  async addressOf(url: URL): Promise<Resolved> {
    if (ERRAND.test(url.hostname)) throw new Error('an errand of the browser, for no page');
    try {
      const [address] = await checkTarget(url, { allowHosts: this.#allowHosts, resolve: systemResolve });
      return address!;
    } catch (error) {
      if (this.#refused.size < MOST_REFUSED) this.#refused.set(url.host, (error as Error).message);
      throw error;
    }
  }

  watch(context: BrowserContext): void {
    context.on('request', (request) => this.#heard(request.url()));
    context.on('dialog', (dialog) => void this.#answer(dialog));
  }

  watchPage(page: Page): void {
    page.on('websocket', (socket) => this.#heard(socket.url()));
    page.on('download', (download) => {
      this.note(`${download.suggestedFilename()} was not downloaded: this browser keeps no files; tell the user`);
    });
  }

  note(text: string): void {
    if (this.#notes.length < MOST_NOTES && !this.#notes.includes(text)) this.#notes.push(text);
  }

  /** Why this host was refused; without one, the last that a page has asked for. */
  refusalOf(host?: string): string | undefined {
    if (host !== undefined) return this.#refused.get(host);
    return this.#ofPages().at(-1)?.[1];
  }

  /** Since it was told last. */
  told(): { notes?: string[]; refused?: string[] } {
    const notes = this.#notes.splice(0);
    const refused = this.#ofPages().map(([host, why]) => `${host}: ${why}`);
    return { ...(notes.length > 0 ? { notes } : {}), ...(refused.length > 0 ? { refused: refused.slice(0, 5) } : {}) };
  }

  /** Another page begins. */
  forget(): void {
    this.#refused.clear();
    this.#asked.clear();
    this.#notes.length = 0;
  }

  #ofPages(): [host: string, why: string][] {
    return [...this.#refused].filter(([host]) => this.#asked.has(host));
  }

  #heard(address: string): void {
    if (URL.canParse(address)) this.#asked.add(new URL(address).host);
  }

  /** A message is taken note of, and leaving a page never asked about; what asks is answered with Cancel: the person has not seen it. */
  async #answer(dialog: Dialog): Promise<void> {
    const kind = dialog.type();
    const said = JSON.stringify(dialog.message().slice(0, 300));
    if (kind === 'alert') this.note(`the page says ${said}`);
    else if (kind !== 'beforeunload')
      this.note(`the page asked ${said} and was answered with Cancel: where it has to be OK, the user has to do it`);
    const answered = kind === 'alert' || kind === 'beforeunload' ? dialog.accept() : dialog.dismiss();
    await answered.catch(() => undefined); // its page has gone, and it with it
  }
}
