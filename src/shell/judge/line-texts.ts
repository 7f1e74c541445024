import { findRunByGit } from '../git/run-words.ts';
import { coprocProblem } from '../grammar/expansions.ts';
import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { withoutValues } from '../programs/without-values.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import {
  dataPrograms,
  helpPrograms,
  isPackageName,
  messageOptions,
  packageManagers,
} from '../tables/word-data.data.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { isHarmlessName } from '../walk/variables.ts';
import { listTexts, readCommandName } from './command-words.ts';
import {
  handsAnywhere,
  listAssignedTexts,
  listMade,
  listPassedTexts,
  listPrintedTexts,
  readsElsewhere,
  takesMade,
} from './passed-texts.ts';

/** Commands of a line with the texts that they might run or open, without proof. */
export interface LoosePart {
  /** One, or all that take what other parts of the line pass on. */
  readonly commands: readonly SimpleCommand[];
  /** `unproven`: it may run whatever it is given. `fed`: it is a known tool whose operands come from another command. */
  readonly kind: 'unproven' | 'fed';
  /** Their own words, their input, and everything other parts of the line pass to them. */
  readonly texts: readonly string[];
  /**
   * Words of other parts that print them in some form (`date +FORMAT`, `awk 'BEGIN { print … }'`), and may pass them on so. That
   * is enough for a rule to be asked about, and says nothing of a directory that a line removes.
   */
  readonly printed: readonly string[];
}

/**
 * For the question "could this line run or remove that?", which differs from the question of an allow rule: here anything
 * that is not known to run nothing else may run any of its words, or any part of them.
 */
export function findLooseParts(script: Script): readonly LoosePart[] {
  const before = known.get(script);
  if (before) return before;
  const isCalled = script.all.some(({ command }) => command.words.some(isArgument));
  const handed = script.all.flatMap(({ command }) =>
    isCalled ? [...listPassedTexts(command), ...command.words.flatMap(listTexts)] : listPassedTexts(command),
  );
  const made = script.all.map((one) => ({ one, names: new Set(listMade(one)) }));
  const printed = script.all.flatMap((one) => (danger(one) === 'none' ? listPrintedTexts(one.command) : []));
  const isExported =
    script.parsed.problems.includes(coprocProblem) ||
    script.all.some(({ command }) => exporting.has(readCommandName(command)) || handsAnywhere(command));
  const found = script.commands.flatMap((one, index) =>
    findLoose(one, { made, takesAll: isExported || isInPipeline(script, index) }),
  );
  const alone = found.filter(({ takes }) => !takes);
  const parts: LoosePart[] = [
    ...alone.map(({ command, kind, texts }) => ({ commands: [command], kind, texts, printed: [] })),
    ...(['unproven', 'fed'] as const).flatMap((kind) => joinTaking(kind, found, { handed, printed })),
  ];
  known.set(script, parts);
  return parts;
}

const known = new WeakMap<Script, readonly LoosePart[]>();

/** An argument of a function or a script: any command of the line may call it. */
function isArgument({ values, text }: ShellWord): boolean {
  return values === undefined && /\$\{?[\d@*]/.test(text);
}

/** These pass variables on to everything that the line starts. */
const exporting: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'set', 'readonly', 'local']);

interface LineAround {
  /** Files that the line writes, by their last names, and the command that writes them. */
  readonly made: readonly { readonly one: JudgedCommand; readonly names: ReadonlySet<string> }[];
  /** Everything that is passed on reaches this part. */
  readonly takesAll: boolean;
}

interface Loose {
  readonly command: SimpleCommand;
  readonly kind: LoosePart['kind'];
  readonly texts: readonly string[];
  /** Whether text from other parts of the line reaches it. */
  readonly takes: boolean;
}

/** All that take what is passed on are judged together: a long line may have many, and pass on much. */
function joinTaking(
  kind: LoosePart['kind'],
  found: readonly Loose[],
  { handed, printed }: { handed: readonly string[]; printed: readonly string[] },
): LoosePart[] {
  const taking = found.filter((one) => one.takes && one.kind === kind);
  if (taking.length === 0) return [];
  const texts = new Set([...taking.flatMap((one) => one.texts), ...handed]);
  return [{ commands: taking.map(({ command }) => command), kind, texts: [...texts], printed }];
}

function findLoose(one: JudgedCommand, around: LineAround): Loose[] {
  const { command } = one;
  const inner = one.inner.flatMap((each) => findLoose(each, { ...around, takesAll: true }));
  const isComputed = command.words.slice(1).some((word) => word.values === undefined);
  const opened = listOpenedTexts(command);
  switch (danger(one)) {
    case 'words': {
      const takes =
        isComputed || around.takesAll || readsElsewhere(command) || takesMadeByOthers(one, around.made);
      return [{ command, kind: 'unproven', texts: [...ownTexts(command), ...opened], takes }, ...inner];
    }
    case 'variables':
      return [{ command, kind: 'unproven', texts: listAssignedTexts(command), takes: false }, ...inner];
    case 'none':
      if (!isComputed && opened.length === 0) return inner;
      return [
        {
          ...{ command, kind: 'fed', takes: isFed(command) },
          texts: [...(isComputed ? ownTexts(command) : []), ...opened],
        },
        ...inner,
      ];
  }
}

/** A redirection to a name in the text is judged as that file; of a computed one the text is all there is. */
function listOpenedTexts({ redirects }: SimpleCommand): string[] {
  return redirects
    .filter(({ target }) => target.values === undefined)
    .flatMap(({ target }) => listTexts(target));
}

function takesMadeByOthers(taker: JudgedCommand, made: LineAround['made']): boolean {
  return made.some(({ one, names }) => one !== taker && takesMade(taker.command, names));
}

/** Words that xargs fills in, or a variable that other parts may have set. */
function isFed({ words }: SimpleCommand): boolean {
  return words.some((word) => word.values === undefined && (word.isInput || /\$|`/.test(word.text)));
}

/**
 * The texts of a command that may be run: its words, unless it is known to take them for data; only the variables that it
 * sets; or none. Commands it visibly runs are judged separately.
 */
function danger({ command, effect }: JudgedCommand): 'words' | 'variables' | 'none' {
  if (command.wrapper?.kind === 'opaque') return 'words';
  if (effect.known) return 'none';
  const isSetting = command.assignments.some(({ name }) => !isHarmlessName(name));
  const own = isSetting ? 'variables' : 'none';
  if (command.wrapper) return own;
  if (command.words.length === 0)
    return command.assignments.some(({ name }) => runVariables.test(name)) ? 'variables' : 'none';
  const name = readCommandName(command);
  const [, first] = command.words;
  if (dataPrograms.has(name)) return own;
  if (name === 'printf' || helpPrograms.has(name))
    return command.words.slice(1).some((word) => /^-/.test(readLiteral(word) ?? (word === first ? '-' : '')))
      ? 'words'
      : own;
  if (name === 'git') return 'words';
  return findGrantedEffect(command, effect.reason)?.known === true ? own : 'words';
}

/** Variables that a shell or a program reads as a command, or as options. */
const runVariables =
  /^(?:PS\d|PROMPT_COMMAND|BASH_ENV|BASH_FUNC.*|ENV|SHELLOPTS|BASHOPTS|PATH|VISUAL|BROWSER|IFS|LD_.*|GIT_.*|.*(?:PAGER|EDITOR|COMMAND|SHELL|OPTIONS|OPTS|ASKPASS|HOOK))$/;

function ownTexts(command: SimpleCommand): string[] {
  return [
    ...runnableWords(command).flatMap(listTexts),
    ...listAssignedTexts(command),
    ...(command.input ?? []),
  ];
}

/** Its words without those known to be data: messages, package names. */
function runnableWords(command: SimpleCommand): readonly ShellWord[] {
  const name = readCommandName(command);
  const rest = command.words.slice(1);
  if (name === 'git') return findRunByGit(rest);
  const messages = messageOptions.get(name);
  if (messages) return withoutValues(rest, (text) => messages.has(text));
  const isInstalling =
    packageManagers.has(name) && rest.some((word) => isInstall.test(readLiteral(word) ?? ''));
  return isInstalling ? rest.filter((word) => !isPackageName(readLiteral(word))) : rest;
}

const isInstall = /^(?:install|add|i|ci|remove|uninstall|upgrade|update|get)$/;

/** Whether its output goes to another command. */
export function isInPipeline({ parsed }: Script, index: number): boolean {
  return parsed.overlaps.some(
    ({ from, to, until, how }) => how === 'beside' && until === to && from <= index && index < to,
  );
}
