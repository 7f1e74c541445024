/** A key in the form that the editor and the app use. */
export interface Key {
  /** `text` for typed characters; `return`, `up` …; with ctrl or alt the character; empty if unknown. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly text?: string;
}

/** The parts of Ink's key that are used here. */
export interface InkKey {
  upArrow?: boolean;
  downArrow?: boolean;
  leftArrow?: boolean;
  rightArrow?: boolean;
  pageDown?: boolean;
  pageUp?: boolean;
  home?: boolean;
  end?: boolean;
  return?: boolean;
  escape?: boolean;
  tab?: boolean;
  backspace?: boolean;
  delete?: boolean;
  ctrl?: boolean;
  shift?: boolean;
  meta?: boolean;
  super?: boolean;
  hyper?: boolean;
  eventType?: 'press' | 'repeat' | 'release' | undefined;
}

/**
 * Converts the input of Ink's `useInput` to keys. If the user types faster than we read, several arrive at once: those with
 * ctrl become separate keys. A tab and a line break are text here, because pasted text can arrive this way too.
 */
export function readKeys(input: string, ink: InkKey): Key[] {
  const parts =
    input.length > 1 ? input.split(/([\0-\u0008\u000b-\u001f])/).filter((part) => part !== '') : [input];
  return parts.flatMap((part) => {
    const isControl = parts.length > 1 && part < ' ' && part !== '\t' && part !== '\n';
    return (isControl ? controlKey(part) : readKey(part, ink)) ?? [];
  });
}

function controlKey(character: string): Key {
  const code = character.charCodeAt(0);
  const key = { ctrl: false, alt: false, shift: false };
  const name = specialCodes[code];
  if (name !== undefined) return { ...key, name };
  return { ...key, ctrl: true, name: String.fromCharCode(code + (code <= 26 ? 96 : 64)) };
}

/** Converts one input of Ink's `useInput` to a key. Undefined for releases and unknown sequences. */
export function readKey(input: string, ink: InkKey): Key | undefined {
  if (ink.eventType === 'release') return undefined;
  const key = { ctrl: ink.ctrl === true, alt: ink.meta === true, shift: ink.shift === true };
  const named = names.find(([flag]) => ink[flag] === true);
  // A double escape is an escape, not one with alt.
  if (named?.[1] === 'escape') return { ...key, alt: false, name: 'escape' };
  if (named) return { ...key, name: named[1] };
  const other = modifiedKey(input);
  if (other) return other;
  if (input === '' || isSequence(input) || ink.super || ink.hyper) return undefined;
  if (input === '\n') return { ...key, name: 'j', ctrl: true };
  if (key.ctrl || key.alt) return { ...key, name: input.toLowerCase() };
  return { ...key, name: 'text', text: input };
}

const names = [
  ['return', 'return'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['home', 'home'],
  ['end', 'end'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
] as const;

/** xterm's form of a key with modifiers (`modifyOtherKeys`), which Ink leaves as it is. */
function modifiedKey(input: string): Key | undefined {
  const found = /^\[27;(\d{1,3});(\d{1,7})~$/.exec(input);
  if (!found) return undefined;
  const modifiers = Number(found[1]) - 1;
  const code = Number(found[2]);
  const key = { ctrl: (modifiers & 4) > 0, alt: (modifiers & 2) > 0, shift: (modifiers & 1) > 0 };
  const special = specialCodes[code];
  if (special !== undefined) return { ...key, name: special };
  if (code < 32 || code > 0x10ffff) return undefined;
  const character = String.fromCodePoint(code);
  return key.ctrl || key.alt
    ? { ...key, name: character.toLowerCase() }
    : { ...key, name: 'text', text: character };
}

const specialCodes: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'return',
  27: 'escape',
  127: 'backspace',
};

/** The rest of an escape sequence: typed characters would arrive one by one. */
function isSequence(input: string): boolean {
  return /^(?:\[[<>?=]?[\d;:]+[~A-Za-z]|\[[IO]|O[A-Za-z])$/.test(input);
}
