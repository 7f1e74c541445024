import type { Decision } from '../../protocol/permission.ts';
import { readLiteral } from '../grammar/types.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import { shellBuiltins } from '../tables/shell-builtins.data.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import type { Finding } from './shell-case.ts';

/**
 * Whether a line must run without those variables of the user that lead programs into the workspace: some part of it runs
 * because it only reads or edits what is in the text. `shell`: it starts no program. A program that only a rule allows, and
 * that is not known here, may run code of the workspace anyway, and gets the user's variables as they are.
 */
export function findCleaned(
  { commands, all }: Script,
  findings: readonly Finding[],
): 'programs' | 'shell' | undefined {
  const granted = new Set(
    findings.flatMap(({ command, decision }) => (command && isForProgram(decision) ? [command] : [])),
  );
  const isFree = (one: JudgedCommand) => one.effect.known && !granted.has(one);
  const coversAll = findings.some(({ command, decision }) => !command && decision.behaviour === 'allow');
  if (coversAll || !all.some(isFree) || all.some((one) => !isFree(one) && isUnknown(one))) return undefined;
  return commands.every(isBuiltin) ? 'shell' : 'programs';
}

/** Not only for one of its files. */
function isForProgram({ behaviour, rule }: Decision): boolean {
  return behaviour === 'allow' && (rule?.tool === 'Bash' || rule?.tool === 'Monitor');
}

function isUnknown({ command, effect }: JudgedCommand): boolean {
  if (effect.known || effect.git) return false;
  // Git runs its hooks when it changes a repository.
  return readLiteral(command.words[0]) === 'git' || findGrantedEffect(command, effect.reason)?.known !== true;
}

/** It starts no program, in any shell. */
function isBuiltin({ command }: JudgedCommand): boolean {
  const [first] = command.words;
  return first === undefined || (!command.wrapper && shellBuiltins.has(readLiteral(first) ?? ''));
}
