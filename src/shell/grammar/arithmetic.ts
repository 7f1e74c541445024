import type { ArithmeticExpression } from 'unbash';
import { isHarmlessName, type Variables } from '../walk/variables.ts';

/**
 * Arithmetic evaluates the value of a variable, and a subscript in it may contain a command. So only numbers, and variables
 * that certainly hold numbers, are known. Returns why it is not known.
 */
export function findArithmeticFault(
  expression: ArithmeticExpression | undefined,
  variables: Variables,
): string | undefined {
  if (!expression) return undefined;
  switch (expression.type) {
    case 'ArithmeticBinary':
      if (expression.operator === '=' && isHarmlessName(listNames(expression.left)[0] ?? ''))
        return findArithmeticFault(expression.right, variables);
      return (
        findArithmeticFault(expression.left, variables) ?? findArithmeticFault(expression.right, variables)
      );
    case 'ArithmeticUnary':
      return findArithmeticFault(expression.operand, variables);
    case 'ArithmeticTernary':
      return (
        findArithmeticFault(expression.test, variables) ??
        findArithmeticFault(expression.consequent, variables) ??
        findArithmeticFault(expression.alternate, variables)
      );
    case 'ArithmeticGroup':
      return findArithmeticFault(expression.expression, variables);
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
        ...(isAssigning(expression.operator) ? listNames(expression.left) : []),
        ...assignedNames(expression.left),
        ...assignedNames(expression.right),
      ];
    case 'ArithmeticUnary':
      return expression.operator === '++' || expression.operator === '--'
        ? listNames(expression.operand)
        : assignedNames(expression.operand);
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].flatMap(assignedNames);
    case 'ArithmeticGroup':
      return assignedNames(expression.expression);
    default:
      return [];
  }
}

/** Of those, the names that are certainly assigned: not after `?`, `&&` or `||`. */
export function surelyAssigned(expression: ArithmeticExpression | undefined): string[] {
  if (expression?.type === 'ArithmeticGroup') return surelyAssigned(expression.expression);
  if (expression?.type !== 'ArithmeticBinary') return [];
  if (expression.operator === ',')
    return [...surelyAssigned(expression.left), ...surelyAssigned(expression.right)];
  return expression.operator === '=' ? listNames(expression.left) : [];
}

/** Whether it may fail, whereupon bash skips the rest of the line and continues with the next one. */
export function mayFail(expression: ArithmeticExpression | undefined): boolean {
  switch (expression?.type) {
    case 'ArithmeticBinary': {
      const { operator, left, right } = expression;
      const isRisky = /^(?:\/|%|\*\*)=?$/.test(operator) && !isPositive(right);
      const isLost = isAssigning(operator) && !isName(left);
      return isRisky || isLost || mayFail(left) || mayFail(right);
    }
    case 'ArithmeticUnary':
      return (
        (/^(?:\+\+|--)$/.test(expression.operator) && !isName(expression.operand)) ||
        mayFail(expression.operand)
      );
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].some(mayFail);
    case 'ArithmeticGroup':
      return mayFail(expression.expression);
    default:
      return false;
  }
}

function isAssigning(operator: string): boolean {
  return /^(?:[-+*/%&|^]|<<|>>|\*\*)?=$/.test(operator);
}

function isName(expression: ArithmeticExpression): boolean {
  return expression.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(expression.value);
}

function isPositive(expression: ArithmeticExpression): boolean {
  return expression.type === 'ArithmeticWord' && /^[1-9]\d{0,17}$/.test(expression.value);
}

function listNames(expression: ArithmeticExpression): string[] {
  return expression.type === 'ArithmeticWord' ? [expression.value] : ['?'];
}

export function isNumber(text: string, variables: Variables): boolean {
  // A leading zero makes it octal, and 08 an error.
  if (/^(?:0|[1-9]\d{0,17}|0[xX][0-9a-fA-F]{1,15})$/.test(text)) return true;
  if (/^\$(?:[#?$!]|\{#\w+\})$/.test(text)) return true;
  const name = /^(?:\$?([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})$/.exec(text);
  const variable = name ? (name[1] ?? name[2] ?? '') : '';
  if (!isHarmlessName(variable)) return false;
  const known = variables.get(variable);
  // By its name alone an empty value is zero; behind a dollar sign the operand would be missing.
  return known?.isNumber === true || (known?.isCount === true && variable === text);
}

/** Whether an operand of `[[` is a number or a count: there an empty one is zero in every form. */
export function isNumberOrCount(text: string, variables: Variables): boolean {
  const bare = text.replace(/^\$\{(\w+)\}$|^\$(\w+)$/, '$1$2');
  return isNumber(text, variables) || (/^[A-Za-z_]/.test(bare) && isNumber(bare, variables)) || isCount(text);
}

/** Whether a substitution prints one number, or nothing: its last command counts its input, or commits. */
export function isCount(text: string): boolean {
  return counting.test(text.replace(/^"(.*)"$/s, '$1'));
}

const piece = String.raw`(?:[^()\`$;&|\n"'#\\]|'[^'\n]*'|"[^"\`$\\\n]*")+`;
const counting = new RegExp(
  String.raw`^\$\((?:${piece}\|)*\s*(?:wc -[clmw](?:\s*<\s*[\w./-]+)?|git rev-list --count [A-Za-z@][\w./@^~-]*|nproc|date \+%s)\s*\)$`,
);

function unknownValue(text: string): string {
  return `arithmetic evaluates ${text}, whose value is unknown`;
}
