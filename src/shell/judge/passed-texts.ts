import { basename } from 'node:path';
import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import { inSight, printsNone } from '../tables/word-data.data.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { listTexts, readCommandName } from './command-words.ts';

/*
 * What the parts of a line pass to each other: text that one prints and another runs or opens, and files that one writes and
 * another takes.
 */

/** Texts that other commands may take from this one as they are: its output, its variables, or its input. */
export function listPassedTexts(command: SimpleCommand): string[] {
  const printed = /^(?:echo|printf)$/.test(readCommandName(command)) ? command.words.slice(1) : [];
  const behind =
    command.wrapper?.kind === 'runs' && command.words[0]?.text !== 'find' ? command.words.slice(1) : [];
  return [
    ...[...printed, ...behind].flatMap(listTexts),
    ...listAssignedTexts(command),
    ...(command.input ?? []),
  ];
}

/** Words that it may print. Most programs do in some way, so only those are left out that are known not to. */
export function listPrintedTexts(command: SimpleCommand): string[] {
  const texts = printsOwnWords(command) ? command.words.slice(1).flatMap(listTexts) : [];
  // `s/a/TEXT/`
  const parts = readCommandName(command) === 'sed' ? texts.flatMap((text) => text.split(/[/|,#]/)) : [];
  return [...texts, ...parts];
}

function printsOwnWords(command: SimpleCommand): boolean {
  const name = readCommandName(command);
  const rest = command.words.slice(1).map((word) => readLiteral(word) ?? '');
  // In an error message, where that goes to another command, and by options that take a text.
  if (command.mixes || rest.some((text) => /^--./.test(text))) return true;
  const isSkipping = /^[ef]?grep$/.test(name) && rest.some((text) => /^-[a-zA-Z]*v/.test(text));
  return !isSkipping && !printsNone.has(name);
}

export function listAssignedTexts({ assignments }: SimpleCommand): string[] {
  return assignments.flatMap(({ word, elements = [] }) =>
    [...(word ? [word] : []), ...elements].flatMap(listTexts),
  );
}

/** Whether text from elsewhere in the line reaches a command, by its input or by a name such as `/dev/fd/9`. */
export function readsElsewhere({ wrapper, words, redirects }: SimpleCommand): boolean {
  const given = redirects.filter(({ access }) => access === 'read').map(({ target }) => target);
  return (
    wrapper?.isFed === true ||
    given.some((word) => word.values === undefined) ||
    [...words, ...given].some(isStream)
  );
}

/** Whether what it hands over may reach every other part: `{ …; } < <(…)`, `exec < FILE`, `… > >(…)`. */
export function handsAnywhere(command: SimpleCommand): boolean {
  const { words, redirects } = command;
  const isWriting = [...words, ...redirects.map(({ target }) => target)].some(({ text }) =>
    text.includes('>('),
  );
  const isForAll = words.length === 0 || readCommandName(command) === 'exec';
  return isWriting || (isForAll && redirects.some(({ access }) => access === 'read'));
}

function isStream(word: ShellWord): boolean {
  return listTexts(word).some((text) => /^\/(?:dev\/(?:fd\/|stdin)|proc\/self\/fd\/)/.test(text));
}

/** Whether a command may take a file that the line itself writes before it runs. */
export function takesMade({ words, redirects }: SimpleCommand, made: ReadonlySet<string>): boolean {
  const given = redirects.flatMap(({ access, target }) => (access === 'read' ? [target] : []));
  return [...words, ...given].some((word) => listTexts(word).some((text) => made.has(basename(text))));
}

/** Files that a command writes, by their last names. */
export function listMade({ command, effect }: JudgedCommand): string[] {
  const targets = command.redirects.flatMap(({ access, target }) => (access === 'write' ? [target] : []));
  const isMover = /^(?:tee|cp|mv|ln|install|dd|mkfifo)$/.test(readCommandName(command));
  const known = effect.known ? effect : findGrantedEffect(command, effect.reason);
  const written = known?.known
    ? known.uses.filter(({ kind }) => kind === 'write').map(({ word }) => word)
    : [];
  return [...targets, ...(isMover ? command.words.slice(1) : []), ...written]
    .flatMap(listTexts)
    .map((text) => basename(text.replace(/^of=/, '')));
}

/**
 * Whether a shell runs text that the line itself makes, and of which nothing shows what it is: out of another command, or of
 * a file whose content is not in the text (`base64 -d <<< … > s; bash s`). Like a script from a pipe, it may hold any command.
 */
export function runsUnseenText({ all }: Script): boolean {
  const made = new Set(all.flatMap(listMade));
  const isRunning = ({ command }: JudgedCommand) =>
    command.wrapper?.kind === 'opaque' ||
    command.words.slice(0, 1).some((word) => takesMade({ ...command, words: [word], redirects: [] }, made));
  const running = all.filter(isRunning);
  if (running.some(({ command }) => command.wrapper?.kind === 'opaque' && readsElsewhere(command)))
    return true;
  return running.some(({ command }) => takesMade(command, made)) && all.some(isComposing);
}

/** It prints or writes something else than its words, or than a file as it is. */
function isComposing({ command, effect }: JudgedCommand): boolean {
  const name = readCommandName(command);
  if (command.words.length === 0 || command.wrapper) return false;
  if (/^(?:echo|printf)$/.test(name)) return command.words.slice(1).flatMap(listTexts).some(hasEscape);
  // In place it changes what is there by its words.
  const isInPlace =
    name === 'sed' && command.words.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(readLiteral(word) ?? ''));
  if (inSight.has(name) || isInPlace) return false;
  return effect.known || findGrantedEffect(command, effect.reason) !== undefined;
}

function hasEscape(text: string): boolean {
  return /\\[^ntr"'\\$]/.test(text);
}
