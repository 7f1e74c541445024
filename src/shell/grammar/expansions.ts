import type { SyntaxNode, TestExpression } from 'unbash';
import type { Variables } from '../walk/variables.ts';
import { isPlainAnsi } from './ansi.ts';
import { findArithmeticFault, isNumber, isNumberOrCount, mayFail } from './arithmetic.ts';

/** Its output is read by a descriptor that no word names. */
export const coprocProblem = 'coproc runs alongside the script and keeps its own descriptors';

/** Why an expansion or a test may run or change more than it says. Its children are checked separately. */
export function findNodeFault(node: SyntaxNode, variables: Variables): string | undefined {
  switch (node.type) {
    case 'ParameterExpansion':
      return findParameterFault(node, variables);
    case 'ArithmeticExpansion':
      if (!node.text.startsWith('$((')) return `${node.text} is obsolete arithmetic syntax`;
      if (!node.expression)
        return node.text === '$(())' ? undefined : `${node.text} is arithmetic that cannot be parsed`;
      return findArithmeticFault(node.expression, variables);
    case 'ArithmeticCommand':
      if (!node.expression) return 'arithmetic that cannot be parsed';
      return findArithmeticFault(node.expression, variables);
    case 'AnsiCQuoted':
      return isPlainAnsi(node) ? undefined : `${node.text} contains escapes that shells read differently`;
    case 'TestUnary':
    case 'TestBinary':
      return findTestFault(node, variables);
    case 'Coproc':
      return coprocProblem;
    case 'Select':
      return 'select waits for input at a terminal';
    case 'FileDescriptorVariable':
      return 'a descriptor is kept in a variable';
    default:
      return undefined;
  }
}

function findParameterFault(
  node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>,
  variables: Variables,
): string | undefined {
  const { prefix, index, operation, text } = node;
  if (prefix === '!') return `${text} expands a variable whose name is computed`;
  if (index && !/^(?:[@*]|\d+)$/.test(index.text)) return `the subscript of ${text} is evaluated`;
  switch (operation?.type) {
    case 'Unknown':
    case 'Names':
      return `${text} is not a known expansion`;
    case 'Transform':
      return /^[QUuL]$/.test(operation.operand.text) ? undefined : `${text} evaluates the variable's value`;
    case 'Default':
      return operation.operator.includes('=') ? `${text} assigns a variable` : undefined;
    case 'Slice':
      return [operation.offset, operation.length].every(
        (part) => !part || isNumber(part.text.trim().replace(/^-/, ''), variables),
      )
        ? undefined
        : `${text} evaluates arithmetic`;
    default:
      return undefined;
  }
}

/**
 * Whether an expansion may fail at run time. Bash then skips the rest of the line, with the assignments in it, and continues
 * with the next one. Old versions do not know all forms.
 */
export function mayFailAt(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return mayFail(node.expression);
    case 'ArithmeticFor':
      return [node.initialize, node.test, node.update].some(mayFail);
    case 'ParameterExpansion':
      if (node.operation?.type === 'Slice') return !/^\d*$/.test(node.operation.length?.text.trim() ?? '');
      return node.operation?.type === 'CaseModification' || node.operation?.type === 'Transform';
    default:
      return false;
  }
}

const comparesNumbers = /^-(?:eq|ne|lt|le|gt|ge)$/;

function findTestFault(node: TestExpression, variables: Variables): string | undefined {
  if (node.type === 'TestUnary' && (node.operator === '-v' || node.operator === '-R'))
    return `[[ ${node.operator} ]] evaluates a subscript`;
  if (node.type !== 'TestBinary' || !comparesNumbers.test(node.operator)) return undefined;
  const isKnown = (text: string) =>
    isNumberOrCount(text.replace(/^"(.*)"$/, '$1').replace(/^-/, ''), variables);
  if (isKnown(node.left.text) && isKnown(node.right.text)) return undefined;
  return `[[ ${node.operator} ]] evaluates its operands as arithmetic`;
}
