/** The value of an arithmetic expression, by a real parser: no evaluation of code, no variables, no assignments. */

import { HermesError } from '../kernel/errors.ts';

/** What an expression may hold, for models. */
export const HELP = 'numbers, + - * / ^ %, parentheses, sqrt, abs, round, floor, ceil, min, max, sin, cos, tan, ln, log10, exp, PI, E';

/** 15 digits. Throws HermesError `bad_expression` or `no_finite_value`. */
export async function evaluate(expression: string): Promise<number> {
  const { Parser } = await import('expr-eval-fork');
  const operators = { assignment: false, fndef: false, in: false, array: false, concatenate: false, logical: false, comparison: false };
  const parser = new Parser({ operators: { ...operators, conditional: false } });
  for (const name of ['random', 'map', 'fold', 'filter', 'indexOf', 'join', 'if']) delete parser.functions[name];
  for (const name of ['log', 'length', 'not']) delete parser.unaryOps[name]; // log: base 10 or e? ln and log10 say it
  const text = plain(expression);
  if (/[^\p{L}\d\s.+\-*/^%(),!]/u.test(text)) throw wrong(expression, 'it holds a character that is no arithmetic');
  let value: unknown;
  try {
    value = parser.parse(text).evaluate({});
  } catch (error) {
    throw wrong(expression, (error as Error).message);
  }
  if (typeof value !== 'number') throw wrong(expression, 'its value is no number');
  if (!Number.isFinite(value))
    throw new HermesError('no_finite_value', `${expression} has no finite value (division by zero, or too large)`, { kind: 'tool' });
  return rounded(value);
}

/** Full-width and typographic signs, ×, ÷, √, π, powers, percentages and a trailing "=" in the parser's spelling. */
function plain(expression: string): string {
  return expression
    .replace(/²/g, '^2')
    .replace(/³/g, '^3')
    .normalize('NFKC')
    .replace(/[×✕·∙⋅]/g, '*')
    .replace(/÷/g, '/')
    .replace(/[−–—]/g, '-')
    .replace(/√/g, 'sqrt ')
    .replace(/π|\bpi\b/gi, 'PI')
    .replace(/\*\*/g, '^')
    .replace(/[[{【]/g, '(')
    .replace(/[\]}】]/g, ')')
    .replace(/\s*(?:=|等于)\s*(?:\?|多少|几)*\s*$/, '')
    .replace(/(\d(?:[\d.]*))\s*%(?=\s*(?:$|[+*/)^-]))/g, '($1/100)')
    .trim();
}

/** Without the noise of binary fractions: 0.1 + 0.2 is 0.3. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

function wrong(expression: string, why: string): HermesError {
  return new HermesError('bad_expression', `"${expression}" is no arithmetic expression: ${why}`, { kind: 'tool', next: `use ${HELP}` });
}
