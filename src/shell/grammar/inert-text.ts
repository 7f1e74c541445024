/**
 * Where a piece of text stands: outside quotes, in double quotes, in a here-document, as a pattern or a default in `${…}`
 * outside or inside double quotes, or as a regular expression in `[[ … ]]`.
 */
export type QuotePlace = 'bare' | 'quoted' | 'document' | 'operand' | 'quoted operand' | 'pattern';

/**
 * Whether a shell takes a piece of text for nothing but text: no sign in it begins a substitution, a quote or another
 * command. `behind` is what follows it, since a dollar at its end depends on that. `value` is what the parser makes of it.
 */
export function isInert(text: string, place: QuotePlace, behind: string, value?: string): boolean {
  const joined = text.replace(continuation, '');
  const escapes = place === 'bare' || place === 'operand' || place === 'pattern' ? anyEscape : quotedEscape;
  const plain = joined.replace(escapes, '.');
  if (active[place].test(plain)) return false;
  const isQuoted = place === 'quoted' || place === 'document' || place === 'quoted operand';
  const next = behind.replace(leadingContinuations, '');
  if ((isQuoted ? beginsInQuotes : begins).test(`${plain}${dollarAtEnd.test(plain) ? next.slice(0, 1) : ''}`))
    return false;
  // `<` and `>` are free in some places, but for what runs a command.
  if (!isQuoted && /[<>]$/.test(plain) && next.startsWith('(')) return false;
  return value === undefined || readValue(joined, place) === value;
}

const continuation = /\\\n/g;
const leadingContinuations = /^(?:\\\n)+/;
const anyEscape = /\\[\s\S]/g;
const quotedEscape = /\\[$`"\\]/g;
const dollarAtEnd = /\$$/;
const begins = /\$[\w({[@*#?$!'"-]/;
const beginsInQuotes = /\$[\w({[@*#?$!-]/;

/** Signs that are more than text in each place. */
const active: Record<QuotePlace, RegExp> = {
  bare: /[`"'<>()|&;\s]/,
  quoted: /[`"]/,
  document: /`/,
  operand: /[`"']|[<>]\(/,
  'quoted operand': /[`"]/,
  pattern: /[`"';&]|[<>]\(/,
};

function readValue(joined: string, place: QuotePlace): string {
  if (place === 'bare') return joined.replace(/\\([\s\S])/g, '$1');
  return joined.replace(place === 'document' ? /\\([$`\\])/g : /\\([$`"\\])/g, '$1');
}

/** The script in backquotes, without the backslashes that they need. */
export function decodeBackquotes(text: string, isQuoted: boolean): string {
  return text.slice(1, -1).replace(isQuoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1');
}
