/** Values that stand in the source as literals: defaults, constants, arguments of examples. */

import type { Expression } from 'oxc-parser';
import type { Json, JsonObject } from '../../kernel/types.ts';

/** The expression without what only types it: `x as const`, `x satisfies T`, parentheses. */
export function bareExpression(node: Expression): Expression {
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression' || node.type === 'ParenthesizedExpression')
    return bareExpression(node.expression);
  return node;
}

/** `x as const` */
export function isConst(node: Expression): boolean {
  if (node.type === 'TSAsExpression' && node.typeAnnotation.type === 'TSTypeReference') {
    const { typeName } = node.typeAnnotation;
    if (typeName.type === 'Identifier' && typeName.name === 'const') return true;
  }
  return (node.type === 'TSSatisfiesExpression' || node.type === 'ParenthesizedExpression') && isConst(node.expression);
}

/** undefined = no literal. */
export function literalValue(written: Expression): Json | undefined {
  const node = bareExpression(written);
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'bigint' || node.value instanceof RegExp ? undefined : node.value;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
    case 'UnaryExpression': {
      const value = literalValue(node.argument);
      return node.operator === '-' && typeof value === 'number' ? -value : undefined;
    }
    case 'ArrayExpression': {
      const items = node.elements.map((one) => (one && one.type !== 'SpreadElement' ? literalValue(one) : undefined));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'ObjectExpression': {
      const object: JsonObject = {};
      for (const property of node.properties) {
        if (property.type !== 'Property' || property.computed) return undefined;
        const value = literalValue(property.value as Expression);
        if (value === undefined) return undefined;
        object[property.key.type === 'Identifier' ? property.key.name : String((property.key as { value?: unknown }).value)] = value;
      }
      return object;
    }
    default:
      return undefined;
  }
}
