/** Arithmetic as people write it, in digits and words, English and Chinese, as one expression with + - * / ^ ( ) and sqrt. */

/** What is said in words, as signs; the order matters: longer ways of saying first. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[×✕✖·∙⋅]/g, '*'],
  [/÷/g, '/'],
  [/[−–—]/g, '-'],
  [/[[{【]/g, '('],
  [/[\]}】]/g, ')'],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  [/百分之\s*(\d+(?:\.\d+)?)/g, '$1%'],
  [/(\d(?:[\d.]*))\s*(?:percent|per cent)\b/gi, '$1%'],
  [/(\d(?:[\d.]*))\s*%\s*(?:of|的)\s*(?=[\d(])/gi, '$1 / 100 * '],
  [/([\d)])\s*的\s*(\d(?:[\d.]*))\s*%/g, '$1 * $2 / 100'],
  [/(\d(?:[\d.]*))\s*%(?!\s*\d)/g, '$1 / 100'],
  [/\b(?:the\s+)?square root of\s*(\d(?:[\d.]*))/gi, 'sqrt($1)'],
  [/(?:√|根号)\s*(\d(?:[\d.]*))/g, 'sqrt($1)'],
  [/(\d(?:[\d.]*))\s*的平方根|(\d(?:[\d.]*))\s*开(?:平)?方/g, 'sqrt($1$2)'],
  [/(\d(?:[\d.]*))\s*的\s*(\d+)\s*次方/g, '$1 ^ $2'],
  [/(?<=[\d)])\s*(?:squared\b|的平方|²)/gi, ' ^ 2'],
  [/(?<=[\d)])\s*(?:cubed\b|的立方|³)/gi, ' ^ 3'],
  [/(?<=[\d)])\s*(?:to the power of|\*\*)\s*(?=[\d(])/gi, ' ^ '],
  [/(?<=[\d)])\s*(?:multiplied by|times|乘以|乘|[x×])\s*(?=[\d(])/gi, ' * '],
  [/(?<=[\d)])\s*(?:divided by|over|除以)\s*(?=[\d(])/gi, ' / '],
  [/(?<=[\d)])\s*(?:plus|加上|加)\s*(?=[\d(])/gi, ' + '],
  [/(?<=[\d)])\s*(?:minus|减去|减)\s*(?=[\d(])/gi, ' - '],
];

/** The longest expression in the text that says what to calculate; undefined when there is none. Numbers alone are none. */
export function findArithmetic(text: string): string | undefined {
  let plain = hanNumbers(text.normalize('NFKC'));
  for (const [words, sign] of SIGNS) plain = plain.replace(words, sign);
  let best: string | undefined;
  for (const [run] of plain.matchAll(/(?:sqrt|[\d.+\-*/^()\s])+/g)) {
    const found = longestExpression(run);
    if (found !== undefined && found.length > (best?.length ?? 0)) best = found;
  }
  return best;
}

/** True for text that is nothing but an expression. */
export function isArithmetic(text: string): boolean {
  const tokens = tokensOf(text);
  return tokens !== undefined && parse(tokens, 0) === tokens.length;
}

function longestExpression(run: string): string | undefined {
  const tokens = tokensOf(run) ?? [];
  let best: string[] = [];
  for (let start = 0; start < tokens.length; start++) {
    const end = parse(tokens, start);
    if (end !== undefined && end - start > best.length) best = tokens.slice(start, end);
  }
  const calculates = best.some((token, index) => token === 'sqrt' || (/^[-+*/^]$/.test(token) && index > 0));
  return calculates ? write(best) : undefined;
}

function tokensOf(text: string): string[] | undefined {
  const tokens = text.match(/sqrt|\d+(?:\.\d+)?|[-+*/^()]|\S/g) ?? [];
  return tokens.every((token) => /^(?:sqrt|\d.*|[-+*/^()])$/.test(token)) || text.includes('.') ? tokens : undefined;
}

/** Parentheses within parentheses; deeper is no request of a person. */
const MOST_NESTED = 50;

/** Where the expression that begins at `start` ends; undefined when none begins there. */
function parse(tokens: readonly string[], start: number, depth = 0): number | undefined {
  let end = operand(tokens, start, depth);
  while (end !== undefined && /^[-+*/^]$/.test(tokens[end] ?? '')) {
    const next = operand(tokens, end + 1, depth);
    if (next === undefined) break;
    end = next;
  }
  return end;
}

function operand(tokens: readonly string[], start: number, depth: number): number | undefined {
  if (depth > MOST_NESTED) return undefined;
  const token = tokens[start] ?? '';
  if (/^\d/.test(token)) return start + 1;
  if (token === '-' || token === 'sqrt') return operand(tokens, start + 1, depth + 1);
  if (token !== '(') return undefined;
  const end = parse(tokens, start + 1, depth + 1);
  return end !== undefined && tokens[end] === ')' ? end + 1 : undefined;
}

/** Spaces around operators only where they separate: (13+27)*4 stays as it was written, in short. */
function write(tokens: readonly string[]): string {
  return tokens.join('');
}

const DIGITS = '零一二三四五六七八九';
const UNITS: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000, 万: 10_000, 亿: 100_000_000 };

/** 三百二十一 -> 321, where Chinese numerals stand beside a sign or a word of arithmetic. */
function hanNumbers(text: string): string {
  const number = '[零一二两三四五六七八九十百千万亿]+(?:点[零一二三四五六七八九]+)?';
  const sign = '(?:加上|加|减去|减|乘以|乘|除以|的平方根|的平方|[-+*/×÷^])';
  const both = new RegExp(`(?<=${sign}\\s*|百分之|根号\\s*)${number}|${number}(?=\\s*${sign}|\\s*的(?:百分之|${number}次方))`, 'g');
  return text.replace(both, (numeral) => String(numberOf(numeral)));
}

function numberOf(numeral: string): number {
  const [whole = '', fraction] = numeral.split('点');
  let total = 0;
  let part = 0;
  let digit = 0;
  for (const character of whole.replace(/两/g, '二')) {
    const unit = UNITS[character];
    if (unit === undefined) digit = digit * 10 * Number(!/[十百千万亿]/.test(whole)) + DIGITS.indexOf(character);
    else if (unit >= 10_000) [total, part, digit] = [total + (part + digit) * unit, 0, 0];
    else [part, digit] = [part + (digit || 1) * unit, 0];
  }
  const decimals = fraction === undefined ? '' : `.${[...fraction].map((character) => DIGITS.indexOf(character)).join('')}`;
  return Number(`${total + part + digit}${decimals}`);
}
