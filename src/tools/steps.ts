/** In which order an expression is calculated, told in one sentence: parentheses first, then powers, then × and ÷, then + and −. */

import { isArithmetic } from './arithmetic.ts';

/** More are no sentence. */
const MOST_STEPS = 6;

interface Step {
  text: string;
  isInside: boolean;
}
interface Reading {
  tokens: string[];
  at: number;
  depth: number;
  steps: Step[];
}

/** Undefined for what has no order to tell: fewer than two steps, functions, or no number as its value. */
export function orderOf(expression: string, language: 'zh' | 'en'): string | undefined {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/^()]/g) ?? [];
  if (/[^\d\s.+\-*/^()]/.test(expression) || !isArithmetic(expression)) return undefined;
  const reading: Reading = { tokens, at: 0, depth: 0, steps: [] };
  const value = sum(reading);
  const { steps } = reading;
  if (steps.length < 2 || steps.length > MOST_STEPS || !Number.isFinite(value)) return undefined;
  const told = steps.map(({ text, isInside }, index) => {
    const isNew = isInside && !steps[index - 1]?.isInside;
    if (language === 'zh') return `${index === 0 ? '先算' : '再算'}${isNew ? '括号里的' : ''} ${text}`;
    return `${index === 0 ? 'first' : 'then'} ${text}${isNew ? ' in the parentheses' : ''}`;
  });
  return language === 'zh' ? `结果是 ${value}：${told.join('，')}。` : `The result is ${value}: ${told.join(', ')}.`;
}

function sum(reading: Reading): number {
  return chain(reading, '+-', () => chain(reading, '*/', () => power(reading)));
}

/** Operators of one rank, from the left. */
function chain(reading: Reading, signs: string, operand: () => number): number {
  let left = operand();
  while (reading.at < reading.tokens.length && signs.includes(reading.tokens[reading.at]!)) {
    const sign = reading.tokens[reading.at++]!;
    left = take(reading, left, sign, operand());
  }
  return left;
}

/** From the right: 2^3^2 is 2^9. A sign before a power belongs to its value: -2^2 is -4. */
function power(reading: Reading): number {
  if (reading.tokens[reading.at] === '-') {
    reading.at++;
    return -power(reading);
  }
  const base = operand(reading);
  if (reading.tokens[reading.at] !== '^') return base;
  reading.at++;
  return take(reading, base, '^', power(reading));
}

function operand(reading: Reading): number {
  const token = reading.tokens[reading.at++]!;
  if (token !== '(') return Number(token);
  reading.depth++;
  const value = sum(reading);
  reading.depth--;
  reading.at++;
  return value;
}

function take({ steps, depth }: Reading, left: number, sign: string, right: number): number {
  const value =
    sign === '+' ? left + right : sign === '-' ? left - right : sign === '*' ? left * right : sign === '/' ? left / right : left ** right;
  const exact = Number(value.toPrecision(15));
  const base = left < 0 && sign === '^' ? `(${left})` : left;
  steps.push({ text: `${base}${sign}${right < 0 ? `(${right})` : right}=${exact}`, isInside: depth > 0 });
  return exact;
}
