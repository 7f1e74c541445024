/** A key in the form that the editor and the app use. */
export interface Key {
  /** `text` for typed characters; `return`, `up` …; with ctrl or alt the character. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly text?: string;
}

/** Text that the terminal marked as pasted. */
export interface Paste {
  readonly pasted: string;
}

export type Input = Key | Paste;

/** A key without modifiers. */
export function plainKey(name: string): Key {
  return { name, ctrl: false, alt: false, shift: false };
}
