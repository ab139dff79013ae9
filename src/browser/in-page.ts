/** Functions that run inside of a page; each stands alone, since only its text gets there. innerText is what a person sees. What they give is the page's word. */

interface PageElement {
  tagName: string;
  href?: string;
  type?: string;
  name?: string;
  value?: string;
  placeholder?: string;
  checked?: boolean;
  disabled?: boolean;
  isContentEditable?: boolean;
  form?: PageElement | null;
  labels?: Iterable<PageElement> | null;
  elements?: Iterable<PageElement>;
  options?: Iterable<{ text: string; selected: boolean }>;
  children: Iterable<PageElement>;
  shadowRoot: PageRoot | null;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): PageElement | null;
  checkVisibility(): boolean;
}
interface PageRoot {
  children: Iterable<PageElement>;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}
declare const document: PageRoot & { title: string; contentType: string; body: PageElement | null };

export interface PageText {
  title: string;
  text: string;
  links: { text: string; url: string }[];
  fields: { label: string; type: string; value?: string; checked?: boolean; options?: string[] }[];
  buttons: string[];
  /** As the server states it. */
  type: string;
  hasScripts: boolean;
}

/** What is visible, also in open shadow roots; `most`: characters of the text. */
export function readPage(most: number): PageText {
  const short = (text: string | null | undefined, length: number) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, length);
  const visibleText = (one: PageElement | null | undefined) => (one ? String(Reflect.get(one, 'innerText') ?? '') : '');
  const roots: PageRoot[] = [document];
  for (const root of roots) for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot);
  const seen = (selector: string, count: number) => {
    const found: PageElement[] = [];
    for (const root of roots) {
      for (const element of root.querySelectorAll(selector)) {
        if (found.length === count) return found;
        if (element.checkVisibility()) found.push(element);
      }
    }
    return found;
  };
  const main = visibleText(document.querySelector('main, article, [role=main]'));
  const whole = visibleText(document.body);
  const inRoots = roots.slice(1).flatMap((root) => [...root.children].filter((one) => one.checkVisibility()).map(visibleText));
  const links = seen('a[href]', 200)
    .map((element) => ({
      text: short(visibleText(element) || element.getAttribute('aria-label'), 80),
      url: (element.href ?? '').slice(0, 500),
    }))
    .filter(({ text, url }) => text !== '' && /^https?:/.test(url));
  const fields = seen('input, textarea, select, [contenteditable=""], [contenteditable=true]', 40)
    .filter(({ type = '' }) => !/^(?:hidden|submit|button|image|reset)$/.test(type))
    .map((element) => {
      const { type = 'text', value, checked, options } = element;
      const [label] = [...(element.labels ?? [])];
      const name =
        short(visibleText(label).replace(visibleText(element), ''), 80) ||
        element.getAttribute('aria-label') ||
        element.placeholder ||
        element.name;
      const choices = options && [...options];
      const chosen = choices ? choices.find(({ selected }) => selected)?.text : (value ?? visibleText(element));
      const shown = type === 'password' ? '' : short(chosen, 100);
      return {
        label: short(name, 80),
        type: choices ? 'list' : type,
        ...(type === 'checkbox' || type === 'radio' ? { checked: checked === true } : shown === '' ? {} : { value: shown }),
        ...(choices ? { options: choices.slice(0, 30).map(({ text }) => short(text, 60)) } : {}),
      };
    });
  const buttons = seen('button, input[type=submit], input[type=button], [role=button]', 40).map((element) =>
    short(visibleText(element) || element.value || element.getAttribute('aria-label'), 80),
  );
  return {
    title: short(document.title, 200),
    text: [main.trim().length >= 200 ? main : whole, ...inRoots]
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      .slice(0, most),
    links: links.slice(0, 40),
    fields,
    buttons: buttons.filter((text) => text !== ''),
    type: document.contentType,
    hasScripts: document.querySelector('script') !== null,
  };
}

export interface ElementFacts {
  /** `button "Pay now"` */
  what: string;
  /** How it takes what is typed: `text`, `date`, `checkbox`, `file`, `list` ... */
  type: string;
  /** What a list has. */
  options?: string[];
  isDisabled: boolean;
  /** A link that leads to another page, and nothing else. */
  href?: string;
  /** The form that it belongs to, with what stands in its fields. */
  form?: string;
}

export function elementFacts(element: unknown): ElementFacts {
  const it = element as PageElement;
  const short = (text: string | null | undefined, length: number) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, length);
  const visibleText = (one: PageElement | null | undefined) => (one ? String(Reflect.get(one, 'innerText') ?? '') : '');
  const link = it.closest('a[href]');
  const form = it.form ?? it.closest('form');
  const [label] = [...(it.labels ?? [])];
  const options = it.options && [...it.options].map(({ text }) => short(text, 60));
  const own = it.isContentEditable || options ? '' : visibleText(it);
  const name = short(
    visibleText(label).replace(visibleText(it), '') || own || it.getAttribute('aria-label') || it.placeholder || it.value,
    100,
  );
  const type = options ? 'list' : (it.type ?? it.getAttribute('role') ?? it.tagName).toLowerCase();
  const facts: ElementFacts = {
    what: `${link ? 'link' : type === 'submit' && !form ? 'button' : type} "${name}"`,
    type,
    isDisabled: it.disabled === true || it.getAttribute('aria-disabled') === 'true',
    ...(options ? { options } : {}),
  };
  const isPlain =
    link !== null && /^https?:/.test(link.href ?? '') && !link.hasAttribute('download') && !/^#/.test(link.getAttribute('href') ?? '#');
  if (isPlain) return { ...facts, href: link.href ?? '' };
  if (!form) return facts;
  const filled: string[] = [];
  for (const field of form.elements ?? []) {
    const isOff = (field.type === 'checkbox' || field.type === 'radio') && !field.checked;
    if (field.type === 'submit' || field.type === 'button' || !field.value || isOff) continue;
    const isSecret = field.type === 'password' || field.type === 'hidden';
    filled.push(`${field.name || field.placeholder || field.type}=${isSecret ? '(hidden)' : short(field.value, 100)}`);
  }
  const to = `${(form.getAttribute('method') ?? 'get').toUpperCase()} ${form.getAttribute('action') ?? '(this page)'}`;
  return { ...facts, form: `${to} ${filled.slice(0, 30).join(', ')}`.trim() };
}
