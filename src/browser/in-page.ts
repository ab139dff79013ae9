/** Functions that run inside of a page; each stands alone, since only its text gets there. innerText is what a person sees. What they give is the page's word. */

interface PageElement {
  tagName: string;
  href?: string;
  type?: string;
  name?: string;
  value?: string;
  placeholder?: string;
  action?: string;
  method?: string;
  form?: PageElement | null;
  labels?: Iterable<PageElement> | null;
  elements?: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): PageElement | null;
  checkVisibility(): boolean;
}
declare const document: {
  title: string;
  body: PageElement | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
};

export interface PageText {
  title: string;
  text: string;
  links: { text: string; url: string }[];
  fields: { label: string; type: string; value?: string }[];
  buttons: string[];
}

/** What is visible; `most`: characters of the text. */
export function readPage(most: number): PageText {
  const short = (text: string | null | undefined, length: number) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, length);
  const visibleText = (one: PageElement | null | undefined) => (one ? String(Reflect.get(one, 'innerText') ?? '') : '');
  const seen = (selector: string, count: number) => {
    const found: PageElement[] = [];
    for (const element of document.querySelectorAll(selector)) {
      if (found.length === count) break;
      if (element.checkVisibility()) found.push(element);
    }
    return found;
  };
  const main = visibleText(document.querySelector('main, article, [role=main]'));
  const whole = visibleText(document.body);
  const links = seen('a[href]', 200)
    .map((element) => ({
      text: short(visibleText(element) || element.getAttribute('aria-label'), 80),
      url: (element.href ?? '').slice(0, 500),
    }))
    .filter(({ text, url }) => text !== '' && /^https?:/.test(url));
  const fields = seen('input, textarea, select', 40)
    .filter(({ type }) => type !== 'hidden' && type !== 'submit' && type !== 'button')
    .map((element) => {
      const [label] = [...(element.labels ?? [])];
      const name = short(visibleText(label), 80) || element.getAttribute('aria-label') || element.placeholder || element.name || '';
      const value = element.type === 'password' ? '' : short(element.value, 100);
      return { label: short(name, 80), type: element.type ?? element.tagName.toLowerCase(), ...(value === '' ? {} : { value }) };
    });
  const buttons = seen('button, input[type=submit], input[type=button], [role=button]', 40).map((element) =>
    short(visibleText(element) || element.value, 80),
  );
  return {
    title: short(document.title, 200),
    text: (main.trim().length >= 200 ? main : whole).replace(/\n{3,}/g, '\n\n').slice(0, most),
    links: links.slice(0, 40),
    fields,
    buttons: buttons.filter((text) => text !== ''),
  };
}

export interface ElementFacts {
  /** `button "Pay now"` */
  what: string;
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
  const name = short(visibleText(label) || visibleText(it) || it.getAttribute('aria-label') || it.placeholder || it.value, 100);
  const what = `${link ? 'link' : (it.type ?? it.getAttribute('role') ?? it.tagName).toLowerCase()} "${name}"`;
  const isPlain =
    link !== null && /^https?:/.test(link.href ?? '') && !link.hasAttribute('download') && !/^#/.test(link.getAttribute('href') ?? '#');
  if (isPlain) return { what, href: link.href ?? '' };
  if (!form) return { what };
  const filled: string[] = [];
  for (const field of form.elements ?? []) {
    if (field.type === 'submit' || field.type === 'button' || !field.value) continue;
    const isSecret = field.type === 'password' || field.type === 'hidden';
    filled.push(`${field.name || field.placeholder || field.type}=${isSecret ? '(hidden)' : short(field.value, 100)}`);
  }
  return {
    what,
    form: `${(form.getAttribute('method') ?? 'get').toUpperCase()} ${form.getAttribute('action') ?? '(this page)'} ${filled.slice(0, 30).join(', ')}`.trim(),
  };
}
