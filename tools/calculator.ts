/** Arithmetic by a real parser: no evaluation of code, no variables, no assignments. */

import { tool } from '../src/tools/define.ts';
import { evaluate, HELP } from '../src/tools/expression.ts';

/** Characters of an expression. */
const LIMIT = 500;

export default tool({
  name: 'calculator',
  description:
    'Evaluates an arithmetic expression and gives its value (15 digits). Use it for every calculation, also easy ones and percentages; ' +
    'not for dates, units or equations with unknowns.',
  level: 'read',
  settingNames: [],
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
  execute: async ({ expression }) => ({ result: await evaluate(expression) }),
});
