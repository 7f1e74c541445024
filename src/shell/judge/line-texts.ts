import { basename } from 'node:path';
import { findRunByGit } from '../git/run-words.ts';
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

/** Commands of a line with the texts that they might run or open, without proof. */
export interface LoosePart {
  /** One, or all that take what other parts of the line pass on. */
  readonly commands: readonly SimpleCommand[];
  /** `unproven`: it may run whatever it is given. `fed`: it is a known tool whose operands come from another command. */
  readonly kind: 'unproven' | 'fed';
  /** Their own words, their input, and everything other parts of the line pass to them. */
  readonly texts: readonly string[];
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
  const made = new Set(script.all.flatMap(({ command }) => filesMade(command)));
  const isExported = script.all.some(({ command }) => exporting.has(readCommandName(command)));
  const found = script.commands.flatMap((one, index) =>
    findLoose(one, { made, takesAll: isExported || isInPipeline(script, index) }),
  );
  const alone = found.filter(({ takes }) => !takes);
  const parts: LoosePart[] = [
    ...alone.map(({ command, kind, texts }) => ({ commands: [command], kind, texts })),
    ...(['unproven', 'fed'] as const).flatMap((kind) => joinTaking(kind, found, handed)),
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
  /** Files that the line writes, by their last names. */
  readonly made: ReadonlySet<string>;
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
  handed: readonly string[],
): LoosePart[] {
  const taking = found.filter((one) => one.takes && one.kind === kind);
  if (taking.length === 0) return [];
  const texts = new Set([...taking.flatMap((one) => one.texts), ...handed]);
  return [{ commands: taking.map(({ command }) => command), kind, texts: [...texts] }];
}

function findLoose(one: JudgedCommand, around: LineAround): Loose[] {
  const { command } = one;
  const inner = one.inner.flatMap((each) => findLoose(each, { ...around, takesAll: true }));
  const isComputed = command.words.slice(1).some((word) => word.values === undefined);
  switch (danger(one)) {
    case 'words': {
      const takes =
        isComputed || around.takesAll || readsElsewhere(command) || runsMade(command, around.made);
      return [{ command, kind: 'unproven', texts: ownTexts(command), takes }, ...inner];
    }
    case 'variables':
      return [{ command, kind: 'unproven', texts: assignedTexts(command), takes: false }, ...inner];
    case 'none':
      return isComputed
        ? [{ command, kind: 'fed', texts: ownTexts(command), takes: isFed(command) }, ...inner]
        : inner;
  }
}

/** Words that xargs fills in, or a variable that other parts may have set. */
function isFed({ words }: SimpleCommand): boolean {
  return words.some((word) => word.values === undefined && (word.isInput || /\$|`/.test(word.text)));
}

function readsElsewhere({ wrapper, words }: SimpleCommand): boolean {
  return (
    wrapper?.isFed === true || words.some((word) => /^\/dev\/(?:fd\/|stdin)/.test(readLiteral(word) ?? ''))
  );
}

/** A script that the line itself writes before it runs. */
function runsMade({ words }: SimpleCommand, made: ReadonlySet<string>): boolean {
  return words.some((word) => listTexts(word).some((text) => made.has(basename(text))));
}

function filesMade(command: SimpleCommand): string[] {
  const targets = command.redirects.flatMap(({ access, target }) => (access === 'write' ? [target] : []));
  const words = /^(?:tee|cp|mv|ln|install|dd)$/.test(readCommandName(command)) ? command.words.slice(1) : [];
  return [...targets, ...words].flatMap(listTexts).map((text) => basename(text.replace(/^of=/, '')));
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
  return [...runnableWords(command).flatMap(listTexts), ...assignedTexts(command), ...(command.input ?? [])];
}

function assignedTexts({ assignments }: SimpleCommand): string[] {
  return assignments.flatMap(({ word, elements = [] }) =>
    [...(word ? [word] : []), ...elements].flatMap(listTexts),
  );
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

/** Texts that other commands may take from this one: its output, its variables, or its input. */
function listPassedTexts(command: SimpleCommand): string[] {
  const printed = /^(?:echo|printf)$/.test(readCommandName(command)) ? command.words.slice(1) : [];
  const behind =
    command.wrapper?.kind === 'runs' && command.words[0]?.text !== 'find' ? command.words.slice(1) : [];
  return [...[...printed, ...behind].flatMap(listTexts), ...assignedTexts(command), ...(command.input ?? [])];
}

export function listTexts({ values, guesses, text }: ShellWord): string[] {
  const known = values ?? guesses;
  return known ? known.map((value) => value.text) : [text];
}

export function readCommandName({ words }: SimpleCommand): string {
  return basename(readLiteral(words[0]) ?? '').toLowerCase();
}

/** Whether its output goes to another command. */
export function isInPipeline({ parsed }: Script, index: number): boolean {
  return parsed.overlaps.some(
    ({ from, to, until, how }) => how === 'beside' && until === to && from <= index && index < to,
  );
}
