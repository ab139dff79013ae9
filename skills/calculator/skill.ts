/** The calculator as a skill: the same as the built-in tool of this name, which leaves the field to it. */

import { evaluate } from '../../src/tools/expression.ts';

export default async function calculator({ expression }: { expression: string }) {
  return { result: await evaluate(expression) };
}
