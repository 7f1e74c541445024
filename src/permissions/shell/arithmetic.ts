import type { ArithmeticExpression } from 'unbash';
import { isHarmlessName, type Variables } from './variables.ts';

/**
 * Arithmetic evaluates what a variable holds, and a subscript in it may hold a command. So only numbers, and
 * variables that this script itself gave nothing but numbers, are known. Returns why it is not.
 */
export function faultOfArithmetic(
  expression: ArithmeticExpression | undefined,
  variables: Variables,
): string | undefined {
  if (!expression) return undefined;
  switch (expression.type) {
    case 'ArithmeticBinary':
      return faultOfArithmetic(expression.left, variables) ?? faultOfArithmetic(expression.right, variables);
    case 'ArithmeticUnary':
      return faultOfArithmetic(expression.operand, variables);
    case 'ArithmeticTernary':
      return (
        faultOfArithmetic(expression.test, variables) ??
        faultOfArithmetic(expression.consequent, variables) ??
        faultOfArithmetic(expression.alternate, variables)
      );
    case 'ArithmeticGroup':
      return faultOfArithmetic(expression.expression, variables);
    case 'ArithmeticWord':
      return isNumber(expression.value, variables) ? undefined : unknownValue(expression.value);
    case 'ArithmeticCommandExpansion':
      return unknownValue(expression.text);
  }
}

/** The names that an expression assigns to, with the rest of it known. */
export function assignedNames(expression: ArithmeticExpression | undefined): string[] {
  if (!expression) return [];
  switch (expression.type) {
    case 'ArithmeticBinary':
      return [
        ...(/^(?:[-+*/%&|^]|<<|>>)?=$/.test(expression.operator) ? namesIn(expression.left) : []),
        ...assignedNames(expression.left),
        ...assignedNames(expression.right),
      ];
    case 'ArithmeticUnary':
      return expression.operator === '++' || expression.operator === '--'
        ? namesIn(expression.operand)
        : assignedNames(expression.operand);
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].flatMap(assignedNames);
    case 'ArithmeticGroup':
      return assignedNames(expression.expression);
    default:
      return [];
  }
}

function namesIn(expression: ArithmeticExpression): string[] {
  return expression.type === 'ArithmeticWord' ? [expression.value] : ['?'];
}

export function isNumber(text: string, variables: Variables): boolean {
  if (/^(?:\d+|0[xX][0-9a-fA-F]+|\d+#\w+)$/.test(text)) return true;
  if (/^\$(?:[#?$!]|\{#\w+\})$/.test(text)) return true;
  const name = /^(?:\$?([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})$/.exec(text);
  const variable = name ? (name[1] ?? name[2] ?? '') : '';
  return isHarmlessName(variable) && variables.get(variable)?.isNumber === true;
}

function unknownValue(text: string): string {
  return `arithmetic evaluates ${text}, whose value is not in the text`;
}
