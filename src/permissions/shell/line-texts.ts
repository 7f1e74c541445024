import { basename } from 'node:path';
import { findGrantedEffect } from './granted.ts';
import { findRunByGit } from './git-run-words.ts';
import type { JudgedCommand, Script } from './script.ts';
import { literalOf, type ShellWord, type SimpleCommand } from './types.ts';
import { withoutValues } from './without-values.ts';
import { dataPrograms, isPackageName, messageOptions, packageManagers } from './word-data.data.ts';

/** A command of a line with the texts that it might run or open, though nothing says so. */
export interface LoosePart {
  readonly one: JudgedCommand;
  /** `unproven`: it may run whatever it is given. `fed`: it is a known tool whose operands come from another command. */
  readonly kind: 'unproven' | 'fed';
  /** Its own words, what it reads, and what other parts of the line hand to it. */
  readonly texts: readonly string[];
}

/**
 * For the question "could this line run or remove that?", which is not the question of an allow rule: here whatever is not
 * known to run nothing else may run any of its words, or any part of them.
 */
export function findLooseParts(script: Script): readonly LoosePart[] {
  const before = known.get(script);
  if (before) return before;
  const handed = script.all.flatMap(({ command }) => textsHandedOn(command));
  const parts = script.commands.flatMap((one, index) =>
    looseParts(one, handed, { isPiped: isInPipeline(script, index), isNested: false }),
  );
  known.set(script, parts);
  return parts;
}

const known = new WeakMap<Script, readonly LoosePart[]>();

function looseParts(
  one: JudgedCommand,
  handed: readonly string[],
  place: { isPiped: boolean; isNested: boolean },
): LoosePart[] {
  const { command } = one;
  const inner = one.inner.flatMap((each) => looseParts(each, handed, { ...place, isNested: true }));
  const isComputed = command.words.slice(1).some((word) => word.values === undefined);
  if (!mayRunOthers(one))
    return isComputed && command.words.length > 1
      ? [{ one, kind: 'fed', texts: isFed(command) ? [...ownTexts(command), ...handed] : ownTexts(command) }, ...inner]
      : inner;
  const takes = isComputed || place.isPiped || place.isNested || readsElsewhere(command);
  const texts = [...ownTexts(command), ...(takes ? handed : [])];
  return [{ one, kind: 'unproven', texts }, ...inner];
}

/** Words that xargs fills in, or a variable that other parts may have set. */
function isFed({ words }: SimpleCommand): boolean {
  return words.some((word) => word.values === undefined && /^\(input\)$|\$|`/.test(word.text));
}

function readsElsewhere({ wrapper, words }: SimpleCommand): boolean {
  return wrapper?.isFed === true || words.some((word) => /^\/dev\/(?:fd\/|stdin)/.test(literalOf(word) ?? ''));
}

/** Whether a command is not known to take its words for data alone. What it runs in plain sight is judged by itself. */
function mayRunOthers({ command, effect }: JudgedCommand): boolean {
  if (command.words.length === 0) return false;
  if (command.wrapper?.kind === 'opaque') return true;
  if (effect.known || command.wrapper) return false;
  const name = nameOf(command);
  if (dataPrograms.has(name)) return false;
  if (name === 'printf') return /^-/.test(literalOf(command.words[1]) ?? '-');
  return name === 'git' || findGrantedEffect(command, effect.reason)?.known !== true;
}

function ownTexts(command: SimpleCommand): string[] {
  return [
    ...runnableWords(command).flatMap(textsOf),
    ...command.assignments.flatMap(({ word, elements = [] }) => [...(word ? [word] : []), ...elements].flatMap(textsOf)),
    ...(command.input ?? []),
  ];
}

/** Its words without those that are known to be data: messages, names of packages. */
function runnableWords(command: SimpleCommand): readonly ShellWord[] {
  const name = nameOf(command);
  const rest = command.words.slice(1);
  if (name === 'git') return findRunByGit(rest);
  const messages = messageOptions.get(name);
  if (messages) return withoutValues(rest, (text) => messages.has(text));
  const isInstalling = packageManagers.has(name) && rest.some((word) => isInstall.test(literalOf(word) ?? ''));
  return isInstalling ? rest.filter((word) => !isPackageName(literalOf(word))) : rest;
}

const isInstall = /^(?:install|add|i|ci|remove|uninstall|upgrade|update|get)$/;

/** What other commands may take from this one: what it prints, sets, or is given to read. */
function textsHandedOn(command: SimpleCommand): string[] {
  const printed = /^(?:echo|printf)$/.test(nameOf(command)) ? command.words.slice(1) : [];
  const behind = command.wrapper?.kind === 'runs' && command.words[0]?.text !== 'find' ? command.words.slice(1) : [];
  const set = command.assignments.flatMap(({ word, elements = [] }) => [...(word ? [word] : []), ...elements]);
  return [...[...printed, ...behind, ...set].flatMap(textsOf), ...(command.input ?? [])];
}

export function textsOf({ values, guesses, text }: ShellWord): string[] {
  const known = values ?? guesses;
  return known ? known.map((value) => value.text) : [text];
}

export function nameOf({ words }: SimpleCommand): string {
  return basename(literalOf(words[0]) ?? '').toLowerCase();
}

function isInPipeline({ parsed }: Script, index: number): boolean {
  return parsed.overlaps.some(
    ({ from, to, until, how }) => how === 'beside' && until === to && from <= index && index < to,
  );
}
