/** Finds the browser that is installed, and starts it with nothing of ours: no environment, no profile, no way out but the proxy. */

import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { HermesError, packageMissing } from '../kernel/errors.ts';

const PLACES: Readonly<Record<string, readonly string[]>> = {
  linux: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'].map((name) => `/usr/bin/${name}`),
  darwin: ['Google Chrome', 'Chromium', 'Microsoft Edge'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};
const INSTALL: Readonly<Record<string, string>> = {
  linux: 'sudo apt-get install -y chromium',
  darwin: 'brew install --cask chromium',
};
/** Quiet, and no way around the proxy: QUIC and WebRTC would send packets of their own. */
const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--proxy-bypass-list=<-loopback>',
];

export interface LaunchOptions {
  /** Path of the browser; default: the usual places. */
  executable?: string | undefined;
  /** The browser's own sandbox; default: where it can be had (not for root). */
  sandbox?: boolean | undefined;
  proxyPort: number;
  /** All the environment that it gets. */
  env: Readonly<Record<string, string>>;
}

/** Throws `browser_missing` or `package_missing` with the command that helps. */
export async function launchBrowser({ executable, sandbox, proxyPort, env }: LaunchOptions): Promise<Browser> {
  const executablePath = findBrowser(executable);
  const { chromium } = await import('playwright-core').catch((cause) => {
    throw packageMissing('the browser needs', ['playwright-core'], cause);
  });
  try {
    return await chromium.launch({
      executablePath,
      chromiumSandbox: sandbox ?? process.getuid?.() !== 0,
      proxy: { server: `http://127.0.0.1:${proxyPort}` },
      args: FLAGS,
      env: { ...env },
      timeout: 20_000,
    });
  } catch (cause) {
    const [line] = (cause as Error).message.split('\n');
    throw new HermesError('browser_failed', `${executablePath} could not be started: ${line}`, {
      kind: 'tool',
      next: 'in a container without its sandbox: [tools.browser] sandbox = false',
      cause,
    });
  }
}

function findBrowser(named: string | undefined): string {
  const places = named === undefined ? (PLACES[process.platform] ?? []) : [named];
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  const install = INSTALL[process.platform] ?? 'install Chromium or Chrome';
  const message = named === undefined ? 'no browser is installed in the usual places' : `there is no browser at ${named}`;
  throw new HermesError('browser_missing', message, {
    kind: 'tool',
    next: `${install}, or name one: [tools.browser] executable = "/path"`,
  });
}
