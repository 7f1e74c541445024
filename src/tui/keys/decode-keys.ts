import { type Key, plainKey } from './key.ts';

/**
 * Typed text as keys. If the user types faster than we read, several arrive at once: control characters become separate
 * keys. A tab and a line break among other text are text, because pasted text can arrive this way too.
 */
export function decodeText(text: string): Key[] {
  const parts = text.split(/([\0-\u0008\u000b-\u001f\u007f])/).filter((part) => part !== '');
  return parts.map((part) =>
    isControl.test(part) ? decodeControl(part) : { ...plainKey('text'), text: part },
  );
}

const isControl = /^[\0-\u001f\u007f]$/;

function decodeControl(character: string): Key {
  const code = character.charCodeAt(0);
  const special = specialCodes[code];
  if (special !== undefined) return plainKey(special);
  const name = code === 0 ? ' ' : String.fromCharCode(code + (code <= 26 ? 96 : 64));
  return { ...plainKey(name), ctrl: true };
}

/** One whole escape sequence as a key. Undefined for a key's release and for sequences that are not keys of ours. */
export function decodeSequence(sequence: string): Key | undefined {
  const isAlt = sequence.startsWith('\u001b\u001b');
  const rest = sequence.slice(isAlt ? 2 : 1);
  if (rest.length === 1) return decodeWithAlt(rest);
  const key = decodeCharacter(rest) ?? decodeNamed(rest);
  return key && isAlt && key.name !== 'escape' ? { ...key, alt: true } : key;
}

function decodeWithAlt(character: string): Key {
  if (isControl.test(character)) return { ...decodeControl(character), alt: true };
  const name = character.toLowerCase();
  return { name, ctrl: false, alt: true, shift: name !== character };
}

/**
 * A character by its number: `ESC [ number ; modifiers u` (kitty, and other terminals that copied it) and
 * `ESC [ 27 ; modifiers ; number ~` (xterm's `modifyOtherKeys`).
 */
function decodeCharacter(rest: string): Key | undefined {
  const found =
    /^\[(?<code>\d+)(?::\d*(?::(?<latin>\d+))?)?(?:;(?<modifiers>\d*)(?::(?<event>\d+))?(?:;(?<text>[\d:]+))?)?u$/.exec(
      rest,
    ) ?? /^\[27;(?<modifiers>\d{1,3});(?<code>\d{1,7})~$/.exec(rest);
  if (!found?.groups || found.groups.event === releaseEvent) return undefined;
  const { modifiers, text, latin } = found.groups;
  const pressed = readModifiers(modifiers);
  // A shortcut is the key, not the letter that another layout has there.
  const isShortcut = pressed.key.ctrl || pressed.key.alt;
  const code = (isShortcut ? latin : undefined) ?? found.groups.code ?? '';
  const name = specialCodes[Number(code)] ?? keypadCodes[Number(code)];
  // Escape pressed twice can arrive as one with alt.
  if (name === 'escape') return { ...pressed.key, name, alt: false };
  if (name !== undefined) return { ...pressed.key, name };
  const typed = text === undefined ? readCharacter(code) : text.split(':').map(readCharacter).join('');
  if (typed === '' || pressed.isForSystem) return undefined;
  if (isShortcut) return { ...pressed.key, name: typed.toLowerCase() };
  return { ...pressed.key, name: 'text', text: typed };
}

/** Empty for control characters, and for the private numbers that kitty gives to keys without a character. */
function readCharacter(code: string): string {
  const number = Number(code);
  const isPrivate = number >= 0xe000 && number <= 0xf8ff;
  if (number < 0x20 || (number >= 0x7f && number <= 0x9f) || isPrivate || number > 0x10ffff) return '';
  return String.fromCodePoint(number).toWellFormed();
}

const specialCodes: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'return',
  27: 'escape',
  127: 'backspace',
};

const keypadCodes: Readonly<Record<number, string>> = {
  57414: 'return',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57426: 'delete',
};

/** A key by its letter (`ESC [ A`, `ESC O A`) or its number (`ESC [ 3 ~`), with modifiers as xterm, kitty or rxvt write them. */
function decodeNamed(rest: string): Key | undefined {
  const lettered = /^(\[|O)(?:(?:1;)?(\d+)(?::(\d+))?)?([A-Za-z])$/.exec(rest);
  if (lettered) {
    const [, kind, modifiers, event, letter = ''] = lettered;
    return event === releaseEvent ? undefined : decodeLetter(`${kind}${letter}`, modifiers);
  }
  const numbered = /^\[\[?(\d+)(?:;(\d+)(?::(\d+))?)?([~^$])$/.exec(rest);
  const name = numberedKeys[numbered?.[1] ?? ''];
  if (!numbered || name === undefined || numbered[3] === releaseEvent) return undefined;
  const { key } = readModifiers(numbered[2]);
  return { ...key, name, ctrl: key.ctrl || numbered[4] === '^', shift: key.shift || numbered[4] === '$' };
}

function decodeLetter(code: string, modifiers: string | undefined): Key | undefined {
  const { key } = readModifiers(modifiers);
  if (code === '[Z') return { ...key, name: 'tab', shift: true };
  if (code === 'OM') return { ...key, name: 'return' };
  const name = letteredKeys[code.slice(1)];
  if (name !== undefined) return { ...key, name };
  const arrow = /^[abcd]$/.test(code.slice(1)) ? letteredKeys[code.slice(1).toUpperCase()] : undefined;
  if (arrow === undefined) return undefined;
  // rxvt: a small letter is the arrow with shift, or after `O` with ctrl.
  return {
    ...key,
    name: arrow,
    shift: key.shift || code.startsWith('['),
    ctrl: key.ctrl || code.startsWith('O'),
  };
}

const letteredKeys: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
};

const numberedKeys: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};

const releaseEvent = '3';

/** The number is one more than the sum of shift 1, alt 2, ctrl 4, super 8, hyper 16, meta 32. */
function readModifiers(modifiers: string | undefined): { key: Omit<Key, 'name'>; isForSystem: boolean } {
  const sum = Math.max(0, Number(modifiers || 1) - 1);
  return {
    key: { ctrl: (sum & 4) > 0, alt: (sum & 34) > 0, shift: (sum & 1) > 0 },
    isForSystem: (sum & 24) > 0,
  };
}
