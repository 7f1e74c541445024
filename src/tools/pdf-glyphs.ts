/** What the name of a glyph means, by Adobe's rules and list, as far as texts use it. */
export function glyphText(name: string): string | undefined {
  const plain = name.split('.')[0] ?? '';
  if (plain.length === 1) return plain;
  const known = names().get(plain);
  if (known !== undefined) return known;
  const hexadecimal = /^(?:uni|u)([0-9A-F]{4,6})$/.exec(plain)?.[1];
  if (hexadecimal !== undefined) return characterOf(Number.parseInt(hexadecimal, 16));
  const parts = plain.split('_');
  if (parts.length < 2 || parts.length > 6) return undefined;
  const texts = parts.map(glyphText);
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

/** The characters of a font's encoding, by code; undefined where it has none. */
export function encodingTable(name: string): (string | undefined)[] {
  const label = labels.get(name);
  const all = Uint8Array.from({ length: 256 }, (_, code) => code);
  const decoded = [...new TextDecoder((label ?? 'windows-1252') as 'utf-8').decode(all)];
  const table = decoded.map((character, code) => (code < 32 ? undefined : character));
  if (label !== undefined) return table;
  // Adobe's own standard: ASCII with other quotation marks, and signs of its own above.
  for (let code = 127; code < 256; code++) table[code] = undefined;
  for (const [code, character] of standardSigns()) table[code] = character;
  return table;
}

const labels: ReadonlyMap<string, string> = new Map([
  ['WinAnsiEncoding', 'windows-1252'],
  ['MacRomanEncoding', 'macintosh'],
]);

function standardSigns(): [number, string][] {
  const from = (code: number, characters: string): [number, string][] =>
    [...characters].map((character, index) => [code + index, character]);
  return [
    [0x27, '’'],
    [0x60, '‘'],
    ...from(0xa1, "¡¢£⁄¥ƒ§¤'“«‹›"),
    [0xae, 'fi'],
    [0xaf, 'fl'],
    ...from(0xb1, '–†‡·'),
    ...from(0xb6, '¶•‚„”»…‰'),
    [0xbf, '¿'],
    ...from(0xc1, '`´ˆ˜¯˘˙¨'),
    [0xca, '˚'],
    [0xcb, '¸'],
    ...from(0xcd, '˝˛ˇ—'),
    [0xe1, 'Æ'],
    [0xe3, 'ª'],
    ...from(0xe8, 'ŁØŒº'),
    [0xf1, 'æ'],
    [0xf5, 'ı'],
    ...from(0xf8, 'łøœß'),
  ];
}

function characterOf(code: number): string | undefined {
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code);
}

let built: ReadonlyMap<string, string> | undefined;

/** Made when first asked for: most sessions never see a PDF. */
function names(): ReadonlyMap<string, string> {
  if (built) return built;
  const words = list.split(' ');
  const pairs = words.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, words[index + 1] ?? '']] : [],
  );
  const accents = Object.entries(accented).flatMap(([accent, letters]) =>
    letters.split(' ').map((pair): [string, string] => [`${pair[0]}${accent}`, pair[1] ?? '']),
  );
  built = new Map([
    ...pairs,
    ...accents,
    ['space', ' '],
    ['nbspace', ' '],
    ['sfthyphen', '-'],
    ['.notdef', ''],
  ]);
  return built;
}

const accented: Record<string, string> = {
  grave: 'AÀ EÈ IÌ OÒ UÙ aà eè iì oò uù',
  acute: 'AÁ CĆ EÉ IÍ LĹ NŃ OÓ RŔ SŚ UÚ YÝ ZŹ aá cć eé ií lĺ nń oó rŕ sś uú yý zź',
  circumflex: 'AÂ CĈ EÊ GĜ HĤ IÎ JĴ OÔ SŜ UÛ aâ cĉ eê gĝ hĥ iî jĵ oô sŝ uû',
  tilde: 'AÃ IĨ NÑ OÕ UŨ aã iĩ nñ oõ uũ',
  dieresis: 'AÄ EË IÏ OÖ UÜ YŸ aä eë iï oö uü yÿ',
  ring: 'AÅ UŮ aå uů',
  caron: 'CČ DĎ EĚ NŇ RŘ SŠ TŤ ZŽ cč dď eě nň rř sš tť zž',
  cedilla: 'CÇ SŞ TŢ cç sş tţ',
  ogonek: 'AĄ EĘ IĮ UŲ aą eę iį uų',
  macron: 'AĀ EĒ IĪ OŌ UŪ aā eē iī oō uū',
  breve: 'AĂ GĞ UŬ aă gğ uŭ',
  slash: 'OØ oø LŁ lł',
  hungarumlaut: 'OŐ UŰ oő uű',
  dotaccent: 'IİEĖ ZŻ eė zż',
};

const list =
  'exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle \' quoteright ’ quoteleft ‘ ' +
  'parenleft ( parenright ) asterisk * plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 ' +
  'four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater > question ? at @ ' +
  'bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ grave ` braceleft { bar | braceright } ' +
  'asciitilde ~ exclamdown ¡ cent ¢ sterling £ currency ¤ yen ¥ brokenbar ¦ section § dieresis ¨ copyright © ' +
  'ordfeminine ª guillemotleft « guillemotright » logicalnot ¬ registered ® macron ¯ degree ° plusminus ± ' +
  'acute ´ mu µ paragraph ¶ periodcentered · cedilla ¸ ordmasculine º onequarter ¼ onehalf ½ threequarters ¾ ' +
  'onesuperior ¹ twosuperior ² threesuperior ³ questiondown ¿ multiply × divide ÷ AE Æ ae æ Eth Ð eth ð Thorn Þ ' +
  'thorn þ germandbls ß dotlessi ı dotlessj ȷ Lslash Ł lslash ł OE Œ oe œ Dcroat Đ dcroat đ florin ƒ circumflex ˆ ' +
  'caron ˇ breve ˘ dotaccent ˙ ring ˚ ogonek ˛ tilde ˜ hungarumlaut ˝ endash – emdash — quotedblleft “ ' +
  'quotedblright ” quotesinglbase ‚ quotedblbase „ dagger † daggerdbl ‡ bullet • ellipsis … perthousand ‰ ' +
  'guilsinglleft ‹ guilsinglright › fraction ⁄ Euro € trademark ™ ff ff fi fi fl fl ffi ffi ffl ffl ' +
  'Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο ' +
  'Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε ' +
  'epsilon1 ϵ zeta ζ eta η theta θ theta1 ϑ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ ' +
  'sigma1 ς tau τ upsilon υ phi φ phi1 ϕ chi χ psi ψ omega ω arrowleft ← arrowright → arrowup ↑ arrowdown ↓ ' +
  'arrowboth ↔ arrowdblright ⇒ arrowdblleft ⇐ arrowdblboth ⇔ lessequal ≤ greaterequal ≥ notequal ≠ ' +
  'approxequal ≈ equivalence ≡ similar ∼ infinity ∞ partialdiff ∂ integral ∫ summation ∑ product ∏ radical √ ' +
  'element ∈ notelement ∉ propersubset ⊂ reflexsubset ⊆ intersection ∩ union ∪ logicaland ∧ logicalor ∨ ' +
  'existential ∃ universal ∀ emptyset ∅ gradient ∇ proportional ∝ asteriskmath ∗ dotmath ⋅ minute ′ second ″ ' +
  'circleplus ⊕ circlemultiply ⊗ lozenge ◊ checkmark ✓ heart ♥ angbracketleft ⟨ angbracketright ⟩ ' +
  'commaaccent ̦ visiblespace ␣ prime ′ prime1 ′ openbullet ◦ arrownortheast ↗';
