import { forEachChild, type ParsedScript, type SyntaxNode, type Word } from 'unbash';
import { Claims } from './claims.ts';
import { decodeBackquotes, isInert, type QuotePlace } from './inert-text.ts';

/**
 * The text of a script that its tree does not account for; undefined where all of it is. This does not trust the parser:
 * every byte must be a leaf that a shell, too, takes for plain text, the sign of a node around it, or a keyword, an
 * operator, a blank or a comment between them. So a command that the parser overlooks is noticed, whatever hid it.
 */
export function findUnaccounted(source: string, script: ParsedScript): string | undefined {
  const claims = new Claims(source);
  for (const statement of script.commands) visit(statement, 'bare', claims);
  return claims.findRest();
}

function visit(node: SyntaxNode, place: QuotePlace, claims: Claims): void {
  switch (node.type) {
    case 'Word':
      visitWord(node, place, claims);
      return;
    case 'Literal':
      claimText(node, place, claims, node.value);
      return;
    case 'Glob':
      if (node.kind === 'bracket') visitInside(node, 1, 1, node.parts, place, claims);
      else claims.claim(node, /^(?:\*+|\?)$/);
      return;
    case 'SingleQuoted':
      // In `"${x:-'…'}"` the quotes are text to a shell, and what is between them is expanded.
      claims.claim(node, place === 'quoted operand' ? /^'[^'$`"\\]*'$/ : /^'[^']*'$/);
      return;
    case 'AnsiCQuoted':
      claims.claim(node, place === 'quoted operand' ? /^(?!)/ : /^\$'(?:[^'\\]|\\[\s\S])*'$/);
      return;
    case 'LocaleString':
      visitInside(node, 2, 1, node.parts, 'quoted', claims);
      return;
    case 'DoubleQuoted':
      visitInside(node, 1, 1, node.parts, 'quoted', claims);
      return;
    case 'SimpleExpansion':
      claims.claim(node, /^\$(?:[A-Za-z_]\w*|[\d@*#?$!-])$/);
      return;
    case 'ParameterExpansion':
      visitParameter(node, place, claims);
      return;
    case 'BraceExpansion':
      // What is between braces is parsed again, alone.
      claims.claim(node, /[$`<>]/.test(node.text) ? /^/ : plainBraces);
      return;
    case 'ExtendedGlob':
      if (node.parts) visitInside(node, 2, 1, node.parts, 'pattern', claims);
      else claimText(node, 'pattern', claims);
      return;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      visitSubstitution(node, place, claims);
      return;
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      // The obsolete `$[…]` is never free.
      if (node.type === 'ArithmeticExpansion' && node.text.startsWith('$[')) claims.claim(node, /^/);
      visitArithmetic(node, node.pos, node.end, /^\$?\(\([\s\0()+*/%<>=!&|^~?:,-]*\)\)$/, claims);
      return;
    case 'ArithmeticFor':
      visitArithmetic(node, node.pos, node.body.pos, forHead, claims);
      return;
    case 'ArithmeticWord':
      if (node.parts) tile(node.parts, node.pos, node.end, 'operand', claims);
      else claims.claim(node, /^(?:\$?\w+|\$\{#?\w+\}|\$[#?$!]|\w+#\w+)$/);
      return;
    case 'TestBinary':
    case 'TestUnary':
      visitTest(node, claims);
      return;
    case 'Assignment':
    case 'Redirect':
    case 'HereString':
    case 'HereDoc':
      visitAttached(node, claims);
      return;
    case 'Time':
    case 'Negation':
      claims.claim(node, /^(?:time(?:[ \t]+-p)?(?:[ \t]+--)?|!)$/);
      return;
    case 'Command':
      for (const child of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix])
        if (child.type === 'Word' || child.type === 'Assignment') claims.addBorders(child);
      break;
    case 'For':
      for (const word of node.wordlist ?? []) claims.addBorders(word);
      break;
    case 'ArrayValue':
      for (const word of node.elements) claims.addBorders(word);
      break;
    default:
      break;
  }
  forEachChild(node, (child) => visit(child, 'bare', claims));
}

/** Quotes and escapes in braces are plain where nothing in them is expanded. */
const plainBraces = /^(?:[^\s"'\\()|&;]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*")*$/;
const forHead = /^for\s*\(\([\s\0()+*/%<>=!&|^~?:,;-]*\)\)(?:[\s;]|\\\n)*(?:do\s|\{)?\s*$/;

function visitWord(word: Word, place: QuotePlace, claims: Claims): void {
  if (word.parts) tile(word.parts, word.pos, word.end, place, claims);
  else claimText(word, place, claims, word.value);
}

function claimText(
  node: { pos: number; end: number },
  place: QuotePlace,
  claims: Claims,
  value?: string,
): void {
  const { pos, end } = node;
  const isKnown = place === 'bare' || place === 'quoted' || place === 'document';
  const behind = claims.source.slice(end, end + 100);
  if (isInert(claims.source.slice(pos, end), place, behind, isKnown ? value : undefined))
    claims.claim(node, /^/);
}

/** The parts of a word follow each other without a gap. */
function tile(
  parts: readonly SyntaxNode[],
  from: number,
  to: number,
  place: QuotePlace,
  claims: Claims,
): void {
  let at = from;
  for (const part of parts) {
    if (part.pos !== at || part.end > to) break;
    visit(part, place, claims);
    at = part.end;
  }
  if (at !== to) claims.refuse(at);
}

function visitInside(
  node: { pos: number; end: number },
  head: number,
  tail: number,
  parts: readonly SyntaxNode[],
  place: QuotePlace,
  claims: Claims,
): void {
  const [from, to] = [node.pos + head, node.end - tail];
  claims.claim({ pos: node.pos, end: from }, /^(?:\[|\$?"|[?*+@!]\()$/);
  claims.claim({ pos: to, end: node.end }, /^(?:\]|"|\))$/);
  // The parser leaves the parts of plain text out.
  if (parts.length === 0) claimText({ pos: from, end: to }, place, claims);
  else tile(parts, from, to, place, claims);
}

function visitParameter(
  node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>,
  place: QuotePlace,
  claims: Claims,
): void {
  const { operation } = node;
  const isQuoted = place === 'quoted' || place === 'document' || place === 'quoted operand';
  const inner: QuotePlace = isQuoted ? 'quoted operand' : 'operand';
  const words: Word[] = node.index ? [node.index] : [];
  if (operation) forEachChild(operation, (child) => child.type === 'Word' && words.push(child));
  for (const word of words) visitWord(word, inner, claims);
  // A quote in a pattern, other than in a default value, is a quote to a shell in double quotes, too.
  const isOdd = isQuoted && operation?.type !== 'Default' && words.some(holdsQuote);
  const signs = claims.between(node, words);
  if (!isOdd && parameterSigns.test(signs)) claims.claimBetween(node, words);
}

const parameterSigns =
  /^\$\{[!#]?(?:\w+|[@*#?$!-])(?:\[\0?\])?(?::?[-=+?]\0?|##?\0?|%%?\0?|\/[/#%]?\0?\/?\0?|:\0?(?::\0?)?|\^\^?\0?|,,?\0?|@\0?|\*)?\}$/;

function holdsQuote({ text, parts }: Word): boolean {
  return parts
    ? parts.some((part) => part.type === 'Literal' && part.text.includes("'"))
    : text.includes("'");
}

function visitSubstitution(
  node: Extract<SyntaxNode, { script: unknown }>,
  place: QuotePlace,
  claims: Claims,
): void {
  const { text, script } = node;
  // One that cannot be parsed is reported by the walk.
  if (!script) {
    claims.claim(node, /^/);
    return;
  }
  const isQuoted = place === 'quoted' || place === 'quoted operand';
  const isBackquoted = text.startsWith('`');
  const decoded = isBackquoted ? decodeBackquotes(text, isQuoted) : undefined;
  if (script.source !== undefined) {
    if (script.source === decoded && findUnaccounted(script.source, script) === undefined)
      claims.claim(node, /^`[\s\S]*`$/);
    return;
  }
  if (isBackquoted && decoded !== text.slice(1, -1)) return;
  claims.open({ pos: node.pos, end: node.pos + (isBackquoted ? 1 : 2) }, /^(?:`|[$<>]\()$/);
  claims.close({ pos: node.end - 1, end: node.end }, /^[`)]$/);
  for (const statement of script.commands) visit(statement, 'bare', claims);
}

/** Between the words of arithmetic there are only signs. Its values are judged by the walk. */
function visitArithmetic(node: SyntaxNode, pos: number, end: number, signs: RegExp, claims: Claims): void {
  const children: SyntaxNode[] = [];
  forEachChild(node, (child) => children.push(child));
  const words = children.filter((child) => child.end <= end).flatMap(listWords);
  for (const word of words) visit(word, 'bare', claims);
  if (signs.test(claims.between({ pos, end }, words))) claims.claimBetween({ pos, end }, words);
  for (const child of children) if (child.pos >= end) visit(child, 'bare', claims);
}

function listWords(node: SyntaxNode): SyntaxNode[] {
  if (node.type === 'ArithmeticWord' || node.type === 'ArithmeticCommandExpansion') return [node];
  const words: SyntaxNode[] = [];
  forEachChild(node, (child) => words.push(...listWords(child)));
  return words.sort((one, other) => one.pos - other.pos);
}

function visitTest(node: Extract<SyntaxNode, { type: 'TestBinary' | 'TestUnary' }>, claims: Claims): void {
  const words = node.type === 'TestBinary' ? [node.left, node.right] : [node.operand];
  const [first, last] = words;
  if (first) visitWord(first, 'bare', claims);
  if (last)
    visitWord(last, node.type === 'TestBinary' && node.operator === '=~' ? 'pattern' : 'bare', claims);
  const signs = claims.between(node, words).replace(/\\\n/g, ' ').replace(/\s/g, '');
  const isImplied = node.type === 'TestUnary' && node.operator === '-n' && signs === '\0';
  const isWritten = signs === (node.type === 'TestBinary' ? `\0${node.operator}\0` : `${node.operator}\0`);
  if (isImplied || isWritten) claims.claimBetween(node, words);
}

/** Assignments and redirections: their own signs, and the words behind them. */
function visitAttached(
  node: Extract<SyntaxNode, { type: 'Assignment' | 'Redirect' | 'HereString' | 'HereDoc' }>,
  claims: Claims,
): void {
  if (node.type === 'Assignment') {
    const children = [...(node.index ? [node.index] : []), node.value];
    if (node.index) visitWord(node.index, 'operand', claims);
    visit(node.value, 'bare', claims);
    const signs = claims.between(node, children);
    if (/^[A-Za-z_]\w*(?:\[\0\])?\+?=\0?$/.test(signs)) claims.claimBetween(node, children);
    return;
  }
  const word = node.type === 'HereDoc' ? node.delimiter : node.target;
  const given = [node.descriptor, word].filter((one) => one !== undefined);
  if (node.descriptor) claims.claim(node.descriptor, /^(?:\d+|\{\w+\})$/);
  if (word?.type === 'Word') visitWord(word, 'bare', claims);
  // Where a here-document ends is judged by the walk.
  else if (word) claims.claim(word, /^/);
  const signs = claims
    .between(node, given)
    .replace(/\\\n/g, '')
    .replace(/[ \t\0]/g, '');
  if (signs === node.operator) claims.claimBetween(node, given);
  if (node.type !== 'HereDoc') return;
  const { body, closing } = node;
  if (node.delimiter?.quoted) claims.claim(body, /^/);
  else if (body.parts) tile(body.parts, body.pos, body.end, 'document', claims);
  else claimText(body, 'document', claims);
  if (closing) claims.claim(closing, /^\t*[\w.-]*$/);
}
