/** The fetches of one call: guarded, ended with the call, and each told as a source of its result. Loaded with the first `fetch`. */

import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import { type FetchOptions, guardedFetch, type WebResponse } from '../network/fetch.ts';
import { includesHost } from '../network/hosts.ts';
import { hostLists } from './host-lists.ts';

export class CallFetches {
  /** Addresses without their queries, of what was asked and is not trusted. */
  readonly untrusted = new Set<string>();
  readonly #settings: JsonObject;
  readonly #over = new AbortController();
  readonly #running = new Set<Promise<WebResponse>>();

  constructor(settings: JsonObject) {
    this.#settings = settings;
  }

  async run(address: string | URL, options: FetchOptions = {}): Promise<WebResponse> {
    const { allow_hosts: allowHosts, trusted_hosts: trusted } = hostLists(this.#settings);
    const signal = options.signal ? AbortSignal.any([options.signal, this.#over.signal]) : this.#over.signal;
    const onHop = (url: URL) => {
      if (!includesHost(trusted, url)) this.untrusted.add(url.origin + url.pathname);
    };
    const fetching = guardedFetch(address, { ...options, signal, allowHosts, onHop });
    this.#running.add(fetching);
    try {
      return await fetching;
    } finally {
      this.#running.delete(fetching);
    }
  }

  /** Ends what is under way. */
  async end(): Promise<void> {
    this.#over.abort(new HermesError('call_over', 'the call is over; it fetches nothing more', { kind: 'tool' }));
    await Promise.allSettled(this.#running);
  }
}
