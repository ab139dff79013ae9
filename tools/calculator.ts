/** Arithmetic by a real parser: no evaluation of code, no variables, no assignments. */

import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';

/** Characters of an expression. */
const LIMIT = 500;
const HELP = 'numbers, + - * / ^ %, parentheses, sqrt, abs, round, floor, ceil, min, max, sin, cos, tan, ln, log10, exp, PI, E';

export default tool({
  name: 'calculator',
  description:
    'Evaluates an arithmetic expression and gives its value (15 digits). Use it for every calculation, also easy ones and percentages; ' +
    'not for dates, units or equations with unknowns.',
  level: 'read',
  idempotent: true,
  input: {
    type: 'object',
    properties: {
      expression: {
        type: 'string',
        description: `an expression such as (13 + 27) * 4; ${HELP}`,
        format: 'arithmetic',
        minLength: 1,
        maxLength: LIMIT,
      },
    },
    required: ['expression'],
    additionalProperties: false,
  },
  output: { type: 'object', properties: { result: { type: 'number' } } },
  aliases: { expr: 'expression', formula: 'expression', equation: 'expression', 表达式: 'expression' },
  keywords:
    'calculate compute math sum plus minus times divided percent how much total cost square root 计算 算 加 减 乘 除 等于 一共 多少 平方 开方 百分之',
  examples: [
    { request: 'What is 12 * 7?', arguments: { expression: '12 * 7' }, result: { result: 84 }, answer: '12 * 7 is 84.' },
    { request: '帮我算一下 (8+5)×3', arguments: { expression: '(8+5)*3' }, result: { result: 39 }, answer: '结果是 39。' },
    { request: 'How much is 20% of 350?', arguments: { expression: '20% * 350' }, result: { result: 70 }, answer: '20% of 350 is 70.' },
  ],
  async execute({ expression }) {
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
    return { result: rounded(value) };
  },
});

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
