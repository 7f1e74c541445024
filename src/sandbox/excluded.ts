import { untold } from '../lib/told.ts';
import { isInside, resolvePath } from '../places/paths.ts';
import type { CallWorkspace } from '../places/types.ts';
import type { Rule } from '../protocol/permission.ts';
import { readLiteral } from '../shell/grammar/types.ts';
import { resolveUse, resolveUses } from '../shell/judge/uses.ts';
import type { PathUse } from '../shell/programs/effect.ts';
import { grants } from '../shell/rules/rules.ts';
import { type JudgedCommand, readScript, type ShellAccess } from '../shell/walk/script.ts';
import { hasPlainAssignments } from '../shell/walk/variables.ts';

/**
 * Whether a line leaves the sandbox because of `sandbox.excludedCommands`. All of it must be proved: every command in it is
 * excluded, or accompanies one and touches no file; nothing is redirected to or from files; nothing is set that changes what
 * runs. Anything else in the line keeps all of it inside.
 */
export function isExcluded(
  patterns: readonly string[],
  workspace: CallWorkspace,
  access: ShellAccess,
): boolean {
  if (patterns.length === 0) return false;
  // An earlier command may have moved anywhere; exclusions are for the workspace.
  if (!isInWorkspace(access.cwd, workspace)) return false;
  const { commands, parsed } = readScript(access, workspace);
  if (parsed.problems.length > 0 || parsed.isUnread || parsed.runsUnseen) return false;
  // A test is not a command: the files it checks are not listed.
  if (/\[\[\s/.test(access.command)) return false;
  const rules = patterns.map((pattern) => buildRule(pattern, workspace));
  const parts = commands.map((command) => classifyPart(command, rules, workspace));
  return parts.includes('excluded') && !parts.includes('other');
}

/** A name alone includes all its calls. Like an allow rule: by its exact words, and by no other path to the program. */
function buildRule(pattern: string, { cwd }: CallWorkspace): Rule {
  return {
    ...{ behaviour: 'allow', tool: 'Bash', specifier: pattern.includes('*') ? pattern : `${pattern}:*` },
    ...{ layer: 'user', source: 'sandbox.excludedCommands', base: cwd },
  };
}

type Part = 'excluded' | 'along' | 'other';

function classifyPart(one: JudgedCommand, rules: readonly Rule[], workspace: CallWorkspace): Part {
  const { command, redirects, inner } = one;
  if (!redirects.every(isStream) || !hasPlainAssignments(command)) return 'other';
  if (command.words.length === 0) return 'along';
  if (rules.some((rule) => grants(rule, command)))
    return namesOnlyWorkspace(one, workspace) ? 'excluded' : 'other';
  const isPassing = command.wrapper?.kind === 'through' || readLiteral(command.words[0]) === 'xargs';
  if (isPassing && command.wrapper && command.wrapper.kind !== 'opaque' && touchesNothing(one)) {
    const parts = inner.map((each) => classifyPart(each, rules, workspace));
    return parts.length > 0 && parts.every((part) => part === 'excluded') ? 'excluded' : 'other';
  }
  return goesAlong(one, workspace) ? 'along' : 'other';
}

/** A file could be swapped for a link between this check and the shell's own. */
function isStream({ kind, word }: PathUse): boolean {
  const text = readLiteral(word) ?? '';
  return kind === 'write' ? /^\/dev\/(?:null|stdout|stderr)$/.test(text) : text === '/dev/null';
}

/** Patterns become file names before the command sees them: it must not learn those of other places. */
function namesOnlyWorkspace({ command }: JudgedCommand, workspace: CallWorkspace): boolean {
  const patterns = command.words.filter((word) => word.values?.some(({ isPattern }) => isPattern));
  return patterns.every((word) => {
    const places = resolveUses({ kind: 'list', word }, command.directories, workspace);
    return places !== untold && places.every(({ path }) => isInWorkspace(path, workspace));
  });
}

function goesAlong(one: JudgedCommand, workspace: CallWorkspace): boolean {
  const name = readLiteral(one.command.words[0]) ?? '';
  if (name === 'cd') return entersWorkspace(one, workspace);
  return companions.has(name) && one.command.wrapper === undefined && touchesNothing(one);
}

function touchesNothing({ command, effect }: JudgedCommand): boolean {
  return (
    effect.known &&
    effect.uses.length === 0 &&
    !effect.edits &&
    !effect.git &&
    !effect.carries &&
    command.words.every((word) => word.environment !== true)
  );
}

function entersWorkspace({ command, effect }: JudgedCommand, workspace: CallWorkspace): boolean {
  if (!effect.known || effect.uses.length === 0) return false;
  return effect.uses.every((use) => {
    const places = use.kind === 'enter' ? resolveUse(use, command.directories) : untold;
    return places !== untold && places.every(({ path }) => isInWorkspace(path, workspace));
  });
}

function isInWorkspace(path: string, workspace: CallWorkspace): boolean {
  return isInside(resolvePath(path, workspace), [workspace.cwd, ...workspace.directories], workspace);
}

/** Commands that shorten or sort another command's output, or print something beside it. */
const companions: ReadonlySet<string> = new Set([
  ...['head', 'tail', 'wc', 'sort', 'uniq', 'cut', 'tr', 'cat', 'tac', 'rev', 'nl', 'fold', 'column'],
  ...['grep', 'egrep', 'fgrep', 'sed', 'awk', 'jq', 'echo', 'printf', 'true', 'false', ':', 'sleep', 'wait'],
]);
