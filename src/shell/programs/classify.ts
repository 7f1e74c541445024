import { classifyGit } from '../git/git.ts';
import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';
import { builtins } from '../tables/builtins.data.ts';
import { fileTools } from '../tables/file-tools.data.ts';
import { globalOptions } from '../tables/subcommands.data.ts';
import { textTools } from '../tables/text-tools.data.ts';
import { helpTools, shortVersions, versionTools } from '../tables/versions.data.ts';
import { viewingTools } from '../tables/viewing-tools.data.ts';
import { checkedScript } from '../walk/unwrap.ts';
import { isHarmlessName, isSafeEnvironment, isSafeValue, tellAssigned } from '../walk/variables.ts';
import { listAlwaysRead } from './always-read.ts';
import { classifyEdit } from './edits.ts';
import { type Effect, here, type PathUse, unknown } from './effect.ts';
import { splitFind } from './find.ts';
import { classifyOpenssl } from './openssl.ts';
import { classifyPackages } from './packages.ts';
import { classifyPs } from './ps.ts';
import { namesShown, readSpec } from './read-spec.ts';
import { classifyTest } from './test-builtin.ts';
import type { ProgramSpec } from './tool-spec.ts';

/** Without the commands it runs, which are judged separately. */
export function classify(command: SimpleCommand): Effect {
  const fault = findAssignmentFault(command);
  if (fault) return unknown(fault);
  if (command.words.length === 0) return { known: true, uses: [] };
  const name = readProgram(command.words[0]);
  if (name === undefined) return unknown('the name of the command is computed');
  // Asked for its version, a program that runs others runs none.
  if (asksForVersion(name, command.words.slice(1))) return { known: true, uses: listAlwaysRead(name) };
  if (command.wrapper?.kind === 'opaque')
    return unknown(command.wrapper.reason ?? `${name} runs other programs`);
  if (command.wrapper?.kind === 'through') return { known: true, uses: [] };
  const effect = classifyTool(name, command);
  const matching = effect.known ? command.words.filter((word) => word.mayMatch) : [];
  return effect.known && matching.length > 0
    ? { ...effect, uses: [...effect.uses, ...matching.map(listMatches)] }
    : effect;
}

/** File names, of unknown files: the command shows or takes them. */
function listMatches(word: ShellWord): PathUse {
  return { kind: 'list', word, sweep: 'none' };
}

function classifyTool(name: string, command: SimpleCommand): Effect {
  const rest = command.words.slice(1);
  switch (name) {
    case 'find':
      return classifyFind(command);
    case 'git':
      return classifyGit(command);
    case 'test':
    case '[':
      return classifyTest(name, rest);
    case 'printf':
      return classifyPrintf(rest);
    case 'command':
      return rest.every((word) => readLiteral(word) !== undefined)
        ? { known: true, uses: [] }
        : unknown('a computed name');
    case 'sh':
    case 'bash':
    case 'dash': {
      const script = checkedScript(command);
      if (script) return { known: true, uses: [{ kind: 'read', word: script }] };
      return classifyRunning(name, command);
    }
    case 'eval':
    case 'xargs':
      return classifyRunning(name, command);
    case 'ps':
      return classifyPs(rest);
    case 'openssl':
      return classifyOpenssl(rest);
    case 'tar':
      // The old form has no dash.
      if (/^t[vzjJ]*f$/.test(readLiteral(rest[0]) ?? '') && rest[0])
        return readSpec(name, textTools.tar, [dashed(rest[0]), ...rest.slice(1)]);
  }
  const edit = classifyEdit(name, rest);
  if (edit) return edit;
  const packages = classifyPackages(name, rest);
  if (packages) return packages;
  const spec = findSpec(name);
  return spec
    ? readSpec(name, spec, rest)
    : unknown(`${nameCommand(name, rest)} is not on the list of read-only commands`);
}

/** With its subcommand, where it looks like one. */
function nameCommand(name: string, [first]: readonly ShellWord[]): string {
  const word = (first && readLiteral(first)) ?? '';
  return Object.hasOwn(globalOptions, name) && /^[a-z][a-z-]*$/.test(word) ? `${name} ${word}` : name;
}

/** The command it runs is judged separately. */
function classifyRunning(name: string, { wrapper }: SimpleCommand): Effect {
  return wrapper?.kind === 'runs' ? { known: true, uses: [] } : unknown(`${name} runs what it is given`);
}

function classifyFind(command: SimpleCommand): Effect {
  const { starts, compared, executed, sweep, fault } = splitFind(command.words);
  if (fault) return unknown(fault);
  if (executed.length > 0 && command.wrapper?.kind !== 'runs') return unknown('find runs other programs');
  const searched = (starts.length > 0 ? starts : [here]).map(
    (word) => ({ kind: 'list', word, sweep }) as const,
  );
  const files = compared.map((word) => ({ kind: 'list', word, sweep: 'none' }) as const);
  return { known: true, uses: [...searched, ...files] };
}

function classifyPrintf(words: readonly ShellWord[]): Effect {
  const [format] = words;
  const text = readLiteral(format);
  if (text === undefined || text.startsWith('-'))
    return unknown('printf with a computed format, or an option');
  // `%n` sets the variable that it is given: PATH, for example.
  if (/%[^%A-Za-z]*[hjlLqtz]*n/.test(text.replaceAll('%%', '')))
    return unknown('printf with %n sets a variable');
  if (words.some((word) => word.environment)) return unknown('it prints an environment variable');
  return { known: true, uses: namesShown(words) };
}

/** Variables that a command or a script sets must not change what it does. */
function findAssignmentFault({ assignments, words }: SimpleCommand): string | undefined {
  const name = readLiteral(words[0]);
  for (const { name: variable, word } of assignments) {
    if (name === 'read' && variable === 'IFS') continue;
    if (name === undefined && words.length > 0) return 'the name of the command is computed';
    const isOwn = words.length === 0;
    const isSafe = isOwn
      ? isHarmlessName(variable) || isSafeEnvironment(variable)
      : isSafeEnvironment(variable);
    if (!isSafe) return `it sets ${variable}`;
    if (isSafeEnvironment(variable) && !isSafeValue(variable, tellAssigned(word)))
      return `it sets ${variable} to a value that may be more than data`;
  }
  return undefined;
}

function asksForVersion(name: string, rest: readonly ShellWord[]): boolean {
  const flag = readLiteral(rest[0]) ?? '';
  if (rest.length !== 1) return false;
  if (flag === '--help') return helpTools.has(name);
  if (flag === '--version') return versionTools.has(name) || helpTools.has(name);
  return Object.hasOwn(shortVersions, flag) && shortVersions[flag]?.includes(name) === true;
}

/** The program known by this name: by name alone, or where the system keeps it. */
export function readProgram(word: ShellWord | undefined): string | undefined {
  return readLiteral(word)?.replace(/^\/(?:usr\/)?bin\//, '');
}

function findSpec(name: string): ProgramSpec | undefined {
  return [fileTools, textTools, viewingTools, builtins].find((table) => Object.hasOwn(table, name))?.[name];
}

function dashed(word: ShellWord): ShellWord {
  const text = `-${readLiteral(word) ?? ''}`;
  return { text, values: [{ text, glob: text, isPattern: false }], single: true };
}
