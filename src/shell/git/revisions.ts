import {
  literalWord,
  type Revisions,
  readLiteral,
  type ShellWord,
  type SimpleCommand,
} from '../grammar/types.ts';

/**
 * The commits that a git command prints by their ids, which are never options, patterns or paths. If there is no such
 * revision, but a file of that name, `rev-parse` prints the name, like the text. Not here: names of branches and tags, which
 * may begin with a dash.
 */
export function revisionsPrinted({ words, mixes, directories }: SimpleCommand): Revisions | undefined {
  const texts = words.map((word) => readLiteral(word) ?? ' ');
  const [from, ...others] = directories;
  if (mixes || from === undefined || others.length > 0 || texts.some((text) => /\s/.test(text)))
    return undefined;
  const [program, name = '', ...rest] = texts
    .join(' ')
    .replaceAll(/ -n (?=\d)/g, ' -n')
    .split(' ');
  const printer = program === 'git' && Object.hasOwn(printers, name) ? printers[name] : undefined;
  const operands = rest.filter((text) => !text.startsWith('-'));
  const options = rest.filter((text) => text.startsWith('-'));
  const isKnown =
    printer?.count(operands) &&
    operands.every((text) => isRevision.test(text)) &&
    options.every((text) => printer.options.test(text));
  if (!printer || !isKnown || (printer.format && !options.some((text) => isFormat.test(text))))
    return undefined;
  const isOne = !printer.many || options.some((text) => /^(?:-1|-n1|--max-count=1)$/.test(text));
  const isShort = options.some((text) => /^--short|%h$/.test(text));
  return { texts: operands.length > 0 ? operands : ['HEAD'], isOne, isShort, from };
}

interface Printer {
  /** Options with which only ids are printed. None takes the next word. */
  readonly options: RegExp;
  /** Whether the number of operands is right. */
  readonly count: (operands: readonly string[]) => boolean;
  readonly many?: true;
  /** It prints ids alone only with a format. */
  readonly format?: true;
}

const chosen = '-\\d+|-n\\d+|--max-count=\\d+|--no-merges|--merges|--reverse|--first-parent';
const format = '--(?:format|pretty)=(?:t?format:)?%[hH]';
const isFormat = new RegExp(`^${format}$`);

const printers: Readonly<Record<string, Printer>> = {
  // For a range it prints two ids, one of them with a sign before it.
  'rev-parse': {
    options: /^(?:-q|--quiet|--verify|--short(?:=\d+)?)$/,
    count: (operands) => operands.length === 1 && !operands[0]?.includes('..'),
  },
  'merge-base': { options: /^$/, count: (operands) => operands.length > 1 },
  'rev-list': { options: new RegExp(`^(?:${chosen})$`), count: () => true, many: true },
  log: { options: new RegExp(`^(?:${chosen}|${format})$`), count: () => true, many: true, format: true },
};

/** `main`, `origin/main`, `HEAD~2`, `v1.2^`, `@{u}`, `main..HEAD`; nothing that goes up or names a file after a colon. */
const name = '(?:@|[A-Za-z0-9]\\w*(?:[./-]\\w+)*)(?:[~^]\\d*|@\\{[\\w-]+\\})*';
const isRevision = new RegExp(`^(?:@\\{[\\w-]+\\}|${name}(?:\\.{2,3}${name})?)$`);

/**
 * The words of a git command with revisions from the text in place of computed ids: it is judged as if these were written
 * there. Where there may be several, two represent them. Short ids stay computed, but are not taken for options.
 */
export function spellRevisions(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.flatMap((word) => {
    const { revisions } = word;
    if (!revisions || word.values) return [word];
    if (revisions.isShort) return [{ ...word, isOperand: true as const }];
    const spelled = revisions.texts.map((text) => ({ ...literalWord(text), revisions }));
    return revisions.isOne && spelled.length === 1 ? spelled : [...spelled, ...spelled];
  });
}

/**
 * A revision with text before or after it. The revision may be empty, and then the rest is alone: so only text that is
 * neither an option nor a path alone is accepted.
 */
export function joinRevision(revisions: Revisions, before: string, behind: string): Revisions | undefined {
  if (before !== '' && !new RegExp(`^${name}\\.{2,3}$`).test(before)) return undefined;
  if (behind !== '' && (before !== '' || !new RegExp(`^(?:[~^]\\d*|\\.{2,3}${name})$`).test(behind)))
    return undefined;
  if ((before !== '' || behind !== '') && !revisions.isOne) return undefined;
  return { ...revisions, texts: revisions.texts.map((text) => before + text + behind) };
}
