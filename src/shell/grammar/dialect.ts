import type { SyntaxNode, Word } from 'unbash';

/** The shell that runs a script: bash, or a plain `sh`, which may be dash, busybox or bash. */
export type ShellDialect = 'bash' | 'sh';

/**
 * Why a script that a plain `sh` runs is not in the part of the language that every such shell reads the same way. The
 * grammar here is bash's: anything beyond POSIX means something else to another shell.
 */
export function findPosixFault(node: SyntaxNode): string | undefined {
  const found = findForeign(node);
  return found === undefined ? undefined : `${found} means something else to a plain sh`;
}

/** Whether all shells end a here-document at the same line: escapes as in `<<$'\x{45}'` are not read the same way. */
export function hasPlainEnd({ delimiter }: Extract<SyntaxNode, { type: 'HereDoc' }>): boolean {
  return delimiter !== undefined && /^(?:[\w.-]+|'[\w.-]+'|"[\w.-]+"|\\[\w.-]+)$/.test(delimiter.text);
}

function findForeign(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'TestCommand':
      return '[[ … ]]';
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return '((…))';
    case 'AnsiCQuoted':
    case 'LocaleString':
    case 'BraceExpansion':
    case 'ExtendedGlob':
    case 'ProcessSubstitution':
      return node.text;
    case 'Select':
    case 'Coproc':
    case 'Time':
    case 'Function':
    case 'FileDescriptorVariable':
      return foreignWords[node.type];
    case 'HereString':
      return '<<<';
    case 'HereDoc':
      return hasPlainEnd(node) ? undefined : '<<';
    case 'Redirect':
      return findForeignRedirect(node);
    case 'Pipeline':
      if (node.prefixes.length > 1) return '! !';
      return node.operators.includes('|&') ? '|&' : undefined;
    case 'CaseItem':
      return node.terminator === ';&' || node.terminator === ';;&' ? node.terminator : undefined;
    case 'Assignment':
      return node.append || node.index || node.value.type === 'ArrayValue' ? node.text : undefined;
    case 'ParameterExpansion':
      return isPosixExpansion(node) ? undefined : node.text;
    case 'ArithmeticExpansion':
      return /^\$\(\([\w\s$()+*/%<>=!&|^~?:{}-]*\)\)$/.test(node.text) && !/\+\+|--|\*\*/.test(node.text)
        ? undefined
        : node.text;
    case 'CommandExpansion':
      return node.text.startsWith('`') && node.text.includes('\\') ? node.text : undefined;
    case 'Glob':
      return node.kind === 'bracket' && /[\^:.=\\]/.test(node.text) ? node.text : undefined;
    case 'Command':
      return node.name && foreignNames.has(node.name.value) ? node.name.value : undefined;
    default:
      return undefined;
  }
}

const foreignWords = {
  Select: 'select',
  Coproc: 'coproc',
  Time: 'time',
  Function: 'a function',
  FileDescriptorVariable: '{name}>',
};

/** Keywords of one shell are programs to another. */
const foreignNames: ReadonlySet<string> = new Set(['[[', ']]', 'function', 'select', 'coproc', 'time', '((']);

function findForeignRedirect({
  operator,
  descriptor,
  target,
}: Extract<SyntaxNode, { type: 'Redirect' }>): string | undefined {
  if (operator === '&>' || operator === '&>>') return operator;
  // Two digits are a word to some.
  if (descriptor?.type === 'FileDescriptor' && descriptor.value > 9) return `${descriptor.value}${operator}`;
  if (!operator.endsWith('&')) return undefined;
  return target && /^(?:\d|-)$/.test(target.text) ? undefined : `${operator}${target?.text ?? ''}`;
}

function isPosixExpansion(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): boolean {
  if (node.index || node.prefix === '!') return false;
  if (node.prefix === '#') return !node.operation;
  if (!node.operation) return true;
  return (
    (node.operation.type === 'Default' || node.operation.type === 'Remove') && isPlain(node.operation.operand)
  );
}

/** Quotes and braces inside an expansion are read in more than one way. */
function isPlain(word: Word): boolean {
  return /^[\w./*? :,@%+-]*$/.test(word.text);
}
