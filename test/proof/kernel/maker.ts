import type { Random } from '../random.ts';

/** Makes pieces of a line by chance, and keeps what they are made of. */
export class Maker {
  /** Constructs, tools and options of the line so far. */
  readonly features = new Set<string>();
  /** What the line defined last, so that later parts speak of it. */
  defined: string | undefined;
  /** How much deeper it may nest. */
  depth = 3;

  constructor(readonly random: Random) {}

  pick<T>(list: readonly T[]): T {
    const item = list[this.random.below(list.length)];
    if (item === undefined) throw new Error('an empty list');
    return item;
  }

  /** One of the texts between the marks: lists of shell text are easier to read without quotes around each. */
  among(texts: string): string {
    const known = lists.get(texts) ?? texts.split('¦').map((text) => text.trim());
    lists.set(texts, known);
    return this.pick(known);
  }

  /** In so many cases of a hundred. */
  chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  /** One of several productions, by name; the name is a feature. */
  choose(kind: string, productions: Readonly<Record<string, (make: Maker) => string>>): string {
    const name = this.pick(Object.keys(productions));
    this.mark(`${kind}:${name}`);
    return productions[name]?.(this) ?? '';
  }

  mark(feature: string): void {
    this.features.add(feature);
  }

  /** What nests deeper, while it may; else what is flat. */
  nest(deep: () => string, flat: () => string): string {
    if (this.depth <= 0) return flat();
    this.depth--;
    const text = deep();
    this.depth++;
    return text;
  }

  several<T>(from: number, to: number, make: () => T): T[] {
    return Array.from({ length: from + this.random.below(to - from + 1) }, make);
  }
}

const lists = new Map<string, readonly string[]>();

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
