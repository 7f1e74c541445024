/** Character references of HTML: all numbers, and the names that pages use. Others stay as they are written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,30}));?/g,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return names.get(name) ?? whole;
      return characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
    },
  );
}

function characterOf(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

const pairs =
  'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “ ' +
  'rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › bull • middot · sect § para ¶ deg ° plusmn ± times × divide ÷ ' +
  'frac12 ½ frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ micro µ euro € pound £ yen ¥ cent ¢ curren ¤ iexcl ¡ iquest ¿ ' +
  'larr ← uarr ↑ rarr → darr ↓ harr ↔ rArr ⇒ lArr ⇐ hArr ⇔ le ≤ ge ≥ ne ≠ asymp ≈ equiv ≡ infin ∞ radic √ sum ∑ ' +
  'prod ∏ int ∫ part ∂ forall ∀ exist ∃ empty ∅ isin ∈ notin ∉ cap ∩ cup ∪ sub ⊂ sup ⊃ and ∧ or ∨ not ¬ minus − ' +
  'lowast ∗ prime ′ Prime ″ check ✓ star ☆ dagger † Dagger ‡ permil ‰ hearts ♥ lbrace { rbrace } lbrack [ rbrack ] ' +
  'lpar ( rpar ) num # dollar $ percnt % ast * plus + comma , period . sol / colon : semi ; equals = quest ? commat @ ' +
  'bsol \\ Hat ^ lowbar _ grave ` vert | verbar | excl ! ' +
  'Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä Aring Å AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì ' +
  'Iacute Í Icirc Î Iuml Ï ETH Ð Ntilde Ñ Ograve Ò Oacute Ó Ocirc Ô Otilde Õ Ouml Ö Oslash Ø Ugrave Ù Uacute Ú ' +
  'Ucirc Û Uuml Ü Yacute Ý THORN Þ szlig ß agrave à aacute á acirc â atilde ã auml ä aring å aelig æ ccedil ç ' +
  'egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï eth ð ntilde ñ ograve ò oacute ó ocirc ô ' +
  'otilde õ ouml ö oslash ø ugrave ù uacute ú ucirc û uuml ü yacute ý thorn þ yuml ÿ OElig Œ oelig œ Scaron Š ' +
  'scaron š alpha α beta β gamma γ delta δ epsilon ε lambda λ mu μ pi π sigma σ tau τ phi φ omega ω Delta Δ Omega Ω';

const words = pairs.split(' ');
const names: ReadonlyMap<string, string> = new Map([
  ...Array.from({ length: words.length / 2 }, (_, at): [string, string] => [
    words[at * 2] ?? '',
    words[at * 2 + 1] ?? '',
  ]),
  ['nbsp', ' '],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', ' '],
  ['shy', ''],
  ['zwj', ''],
  ['zwnj', ''],
  ['Tab', '\t'],
  ['NewLine', '\n'],
]);
