/** The text of a part of a page as a person would see it: blocks on lines of their own, headings, lists and tables marked. No recursion: pages nest as deep as they like. */

export interface DomNode {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  textContent: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  getAttribute?(name: string): string | null;
}

const UNSEEN = new Set([
  'SCRIPT',
  'STYLE',
  'NOSCRIPT',
  'TEMPLATE',
  'SVG',
  'HEAD',
  'TITLE',
  'IFRAME',
  'OBJECT',
  'CANVAS',
  'SELECT',
  'TEXTAREA',
]);
const INLINE = new Set(
  `A ABBR ACRONYM B BDI BDO BIG CITE CODE DATA DEL DFN EM FONT I INS KBD LABEL MARK Q RP RT RUBY S SAMP SMALL SPAN STRONG SUB SUP TIME TT U
  VAR WBR BUTTON IMG INPUT TD TH`.split(/\s+/),
);
/** In the place of a space that stays: of private use, so that no page means anything by it. */
const KEPT_SPACE = '\ue000';
const TEXT = 3;
const ELEMENT = 1;

/** Text that a page hides from people is not for people: often it is meant for programs like this one. */
export function isHidden(node: DomNode): boolean {
  const attribute = (name: string) => node.getAttribute?.(name) ?? null;
  if (attribute('hidden') !== null || attribute('aria-hidden') === 'true') return true;
  const style = attribute('style');
  return style !== null && /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])/i.test(style);
}

/** One step of the walk: a node to look at, or what comes behind the children of one. */
type Step = { node: DomNode; isPlain: boolean } | { after: string };

export function renderText(root: DomNode): string {
  const pieces: string[] = [];
  const steps: Step[] = [{ node: root, isPlain: false }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    if ('after' in step) {
      pieces.push(step.after);
      continue;
    }
    const { node, isPlain } = step;
    if (node.nodeType === TEXT) {
      const text = node.nodeValue ?? '';
      pieces.push(isPlain ? text.replaceAll(' ', KEPT_SPACE) : text.replace(/\s+/g, ' '));
    }
    const name = node.nodeName.toUpperCase();
    if (node !== root && (node.nodeType !== ELEMENT || UNSEEN.has(name) || isHidden(node))) continue;
    const [before, after] = marksOf(name);
    pieces.push(before);
    steps.push({ after });
    const children: Step[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) children.push({ node: child, isPlain: isPlain || name === 'PRE' });
    for (let at = children.length - 1; at >= 0; at--) steps.push(children[at]!);
  }
  return tidy(pieces.join(''));
}

function marksOf(name: string): [before: string, after: string] {
  if (/^H[1-6]$/.test(name)) return [`\n\n${'#'.repeat(Number(name[1]))} `, '\n\n'];
  if (name === 'LI') return ['\n- ', ''];
  if (name === 'TR') return ['\n', ''];
  if (name === 'TD' || name === 'TH') return ['', ' | '];
  if (name === 'BR') return ['\n', ''];
  if (name === 'P' || name === 'PRE' || name === 'BLOCKQUOTE' || name === 'TABLE') return ['\n\n', '\n\n'];
  return INLINE.has(name) ? ['', ''] : ['\n', '\n'];
}

/** Each step looks at one line at a time: a page may be one line of five million spaces. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/(?: \|)+$/, ''));
  const kept = lines.filter((line, at) => (line !== '' && line !== '-') || (at > 0 && lines[at - 1] !== '' && line === ''));
  return kept
    .join('\n')
    .replace(/\n- \n/g, '\n- ')
    .trim()
    .replaceAll(KEPT_SPACE, ' ');
}
