const maxWords = 64;
const maxSteps = 20_000;

/**
 * Bash's brace expansion of a word as it is written, including quotes. A word without any is returned as it is; undefined
 * where it becomes too many words, or contains something that only a parser can read.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  // Bash itself takes the quote of `$'…'` for a plain one here.
  if (!text.includes('{')) return [text];
  if (/\$['"]/.test(text)) return undefined;
  const budget = { left: maxSteps };
  try {
    return expand(text, budget);
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

class TooMuch extends Error {}

interface Budget {
  left: number;
}

/** One after the other: the text before the first brace, its content, and the text after it. */
function expand(text: string, budget: Budget): string[] {
  const open = findOpen(text, budget);
  if (open === undefined) return [text];
  const [before, inside, behind] = [
    text.slice(0, open.at),
    text.slice(open.at + 1, open.end),
    text.slice(open.end + 1),
  ];
  const middle = hasComma(inside) ? splitAtCommas(inside, budget) : expandSequence(inside);
  if (!middle && behind === '') return [text];
  const words = join([before], middle ?? [text.slice(open.at, open.end + 1)]);
  return behind === '' ? words : join(words, expand(behind, budget));
}

function join(heads: readonly string[], tails: readonly string[]): string[] {
  if (heads.length * tails.length > maxWords) throw new TooMuch();
  return heads.flatMap((head) => tails.map((tail) => head + tail));
}

/** The first brace that is closed again with a comma or two dots between. */
function findOpen(text: string, budget: Budget): { at: number; end: number } | undefined {
  for (let from = 0; ; ) {
    const at = skipTo(text, from, '{', budget);
    if (at === undefined) return undefined;
    const end = skipTo(text, at + 1, '}', budget);
    if (end !== undefined) return { at, end };
    from = at + 1;
  }
}

function hasComma(text: string): boolean {
  return text.replace(/\\./gs, '').includes(',');
}

function splitAtCommas(text: string, budget: Budget): string[] {
  const words: string[] = [];
  for (let from = 0; ; ) {
    const at = skipTo(text, from, ',', budget) ?? text.length;
    words.push(...expand(text.slice(from, at), budget));
    if (words.length > maxWords) throw new TooMuch();
    if (at >= text.length) return words;
    from = at + 1;
  }
}

/** The position of the sign outside quotes, substitutions and inner braces. */
function skipTo(text: string, from: number, sign: '{' | '}' | ',', budget: Budget): number | undefined {
  let level = 0;
  let quote = '';
  let isRange = sign !== '}';
  for (let at = from; at < text.length; at++) {
    if (budget.left-- <= 0) throw new TooMuch();
    const [now = '', next] = [text[at], text[at + 1]];
    if (now === '\\' && quote !== "'") at++;
    else if (now === '$' && next === '{' && quote !== "'") {
      at++;
      if (quote === '') level++;
    } else if (/[$<>]/.test(now) && next === '(' && (quote === '' || (quote === '"' && now === '$')))
      at = findSubstitutionEnd(text, at + 2);
    else if (quote !== '') {
      if (now === quote) quote = '';
    } else if (/["'`]/.test(now)) quote = now;
    else if (now === sign && level === 0 && isRange) {
      const isEmpty = now === '{' && next === '}' && at === 0;
      if (!isEmpty) return at;
    } else if (now === '{') level++;
    else if (now === '}' && level > 0) level--;
    else if (sign === '}' && level === 0)
      isRange ||= now === ',' || (now === '.' && next === '.' && text[at + 2] !== '}');
  }
  return undefined;
}

/** The parenthesis that closes it. A lone one between quotes, or in a `case`, would need a parser. */
function findSubstitutionEnd(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (/["'\\`#]/.test(text[at] ?? '')) throw new TooMuch();
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  throw new TooMuch();
}

/** `{1..9}`, `{01..10..2}`, `{a..e}`; undefined for plain text. */
function expandSequence(text: string): string[] | undefined {
  const [low, high, step = '1', ...more] = text.split('..');
  if (low === undefined || high === undefined || more.length > 0 || !isInteger(step)) return undefined;
  if (isInteger(low) && isInteger(high)) {
    const isPadded = [low, high].some((one) => /^[+-]?0\d/.test(one));
    const width = isPadded ? Math.max(low.length, high.length) : 0;
    return count(Number(low), Number(high), Number(step)).map((one) => pad(one, width));
  }
  if (!/^[A-Za-z]$/.test(low) || !/^[A-Za-z]$/.test(high)) return undefined;
  const codes = count(low.charCodeAt(0), high.charCodeAt(0), Number(step));
  const letters = codes.map((code) => String.fromCharCode(code));
  // Between the cases there are characters that are special to a shell.
  if (letters.some((letter) => !/[A-Za-z]/.test(letter))) throw new TooMuch();
  return letters;
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,9}$/.test(text);
}

function count(from: number, to: number, step: number): number[] {
  const stride = Math.abs(step) || 1;
  const length = Math.floor(Math.abs(to - from) / stride) + 1;
  if (length > maxWords) throw new TooMuch();
  return Array.from({ length }, (_, index) => from + index * stride * (from <= to ? 1 : -1));
}

function pad(number: number, width: number): string {
  const sign = number < 0 ? '-' : '';
  return sign + String(Math.abs(number)).padStart(width - sign.length, '0');
}
