/** The one element that is meant, by what a person sees of it, in a page or one of its frames. */

import type { Frame, Locator, Page } from 'playwright-core';
import { type ElementFacts, elementFacts } from './in-page.ts';
import { within } from './within.ts';
import { failure } from './words.ts';

/** Milliseconds for one look. */
const LOOK = 3_000;
/** Frames of a page that are looked into. */
const MOST_FRAMES = 10;

/** How an element is named: by what a person sees (`target`), by its role besides, or by a CSS selector. */
export interface Named {
  target?: string | undefined;
  role?: string | undefined;
  selector?: string | undefined;
}
export interface Found {
  locator: Locator;
  facts: ElementFacts;
  /** Address of the frame that it stands in, when that is not the page itself. */
  frame?: string;
}

/** undefined = nothing visible fits. Throws when several fit, or when the page has switched it off. */
export async function findElement(page: Page, named: Named, kind: 'click' | 'type'): Promise<Found | undefined> {
  for (const frame of await visibleFrames(page)) {
    for (const candidate of candidates(frame, named, kind)) {
      const visible = candidate.filter({ visible: true });
      const count = await within(visible.count(), LOOK).catch((error: Error) => {
        throw named.selector === undefined
          ? error
          : failure('bad_selector', `${named.selector} is no CSS selector`, 'name the element by target and role');
      });
      if (count > 1)
        throw failure('not_unique', `${count} elements fit ${nameOf(named)}`, 'give its role, the whole of its text, or a CSS selector');
      if (count === 0) continue;
      const facts = await within(visible.evaluate(elementFacts), LOOK);
      if (facts.isDisabled)
        throw failure('disabled', `${facts.what} is switched off by the page`, 'something else has to be filled in or chosen first');
      return { locator: visible, facts, ...(frame === page.mainFrame() ? {} : { frame: frame.url() }) };
    }
  }
  return undefined;
}

/** The page itself, then those of its frames that can be seen. */
export async function visibleFrames(page: Page): Promise<Frame[]> {
  const inner = page.frames().filter((frame) => frame !== page.mainFrame() && /^(?:https?|about):/.test(frame.url()));
  const seen = inner.slice(0, MOST_FRAMES).map(async (frame) => {
    const visible = frame.frameElement().then((element) => element.isVisible());
    return (await within(visible, LOOK).catch(() => false)) ? [frame] : []; // one that has gone is not there
  });
  return [page.mainFrame(), ...(await Promise.all(seen)).flat()];
}

/** The likeliest first: what is named exactly, then in part. */
function candidates(frame: Frame, { target, role, selector }: Named, kind: 'click' | 'type'): Locator[] {
  if (selector !== undefined) return [frame.locator(`css=${selector}`)];
  const name = target ?? '';
  return [true, false].flatMap((exact) => {
    if (role !== undefined) return [frame.getByRole(role as 'link', { name, exact })];
    if (kind === 'type')
      return [frame.getByLabel(name, { exact }), frame.getByPlaceholder(name, { exact }), frame.getByRole('textbox', { name, exact })];
    const named = frame.getByRole('button', { name, exact }).or(frame.getByRole('link', { name, exact }));
    return [named, frame.getByLabel(name, { exact }), frame.getByText(name, { exact })];
  });
}

export function nameOf({ target, role, selector }: Named): string {
  return selector ?? [role, target === undefined ? undefined : `"${target}"`].filter(Boolean).join(' ');
}
