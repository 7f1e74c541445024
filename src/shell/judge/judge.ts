import { basename } from 'node:path';
import { listKnown, untold } from '../../lib/told.ts';
import { isWholeTool } from '../../places/names.ts';
import { allow, ask, byRule } from '../../places/reasons.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { findCredentialAround } from '../git/around.ts';
import { findGitDirectories } from '../git/directories.ts';
import { findOpenedByGit } from '../git/opened.ts';
import { findOverwritten } from '../git/overwrites.ts';
import { findKept, findStray } from '../git/rules.ts';
import { readLiteral, type SimpleCommand } from '../grammar/types.ts';
import { findChosen } from '../programs/chosen-program.ts';
import type { PathUse } from '../programs/effect.ts';
import { findGrantedEffect } from '../rules/granted.ts';
import { grants, spelledWords } from '../rules/rules.ts';
import { checkRunner } from '../rules/runner-options.ts';
import { findEntered } from '../walk/entered.ts';
import type { FileChange } from '../walk/file-changes.ts';
import { findChangesBefore } from '../walk/file-order.ts';
import {
  findChange,
  type JudgedCommand,
  readScript,
  type Script,
  type ShellAccess,
  type ShellPlace,
} from '../walk/script.ts';
import { hasPlainAssignments } from '../walk/variables.ts';
import { followsLinks, judgeCarried } from './carried.ts';
import { findCleaned } from './cleaned-variables.ts';
import { judgeFetched } from './git-fetches.ts';
import { judgeMerged } from './git-merges.ts';
import { judgePrograms } from './git-programs.ts';
import { judgeRemovedByGit } from './git-removals.ts';
import { judgeShownLater, judgeTaken } from './git-stores.ts';
import { judgeNamed } from './judge-named.ts';
import { judgeWrite } from './judge-place.ts';
import { judgePossible } from './judge-possible.ts';
import { judgeRepositories } from './judge-repositories.ts';
import { judgeSeen } from './judge-seen.ts';
import { judgeUse } from './judge-use.ts';
import {
  askAbout,
  askUntold,
  type Finding,
  type GrantCover,
  isFirm,
  mayMeetRule,
  type OpenCase,
  openCase,
  type ShellCase,
  skipsQuestions,
} from './shell-case.ts';
import { findStrictest } from './strictest.ts';
import { findTouched } from './touched.ts';

/** A line that nothing has refused so far: every part must be known, or allowed by a rule. */
export function judgeParts(given: ShellCase): Decision {
  const findings = given.confined ? listFindings(given).map(confinedFinding) : listFindings(given);
  given.watch?.(findings);
  const strictest = findStrictest(findings.map(({ decision }) => decision));
  if (strictest && strictest.behaviour !== 'allow') return strictest;
  const script = readCaseScript(given);
  const isGrant = strictest?.by === 'rule' || strictest?.by === 'mode';
  // Programs that a repository makes git run are sandboxed too, and a line that changes it needs its filters and protocols.
  if (strictest?.by === 'sandbox') return strictest;
  if (strictest && isGrant && given.inside && findChange(script) !== undefined) return strictest;
  const git = findGitDirectories(script, given.call.workspace);
  const decision = strictest && isGrant ? strictest : allow('default', 'every part of it only reads');
  const variables = findCleaned(script, findings);
  if (git.length === 0 && !variables) return decision;
  return { ...decision, neutralise: { git, ...(variables ? { variables } : {}) } };
}

/**
 * A sandbox answers questions asked for lack of knowledge, or about a right it takes away; not those that the user wants to
 * be asked.
 */
function confinedFinding(finding: Finding): Finding {
  const { command, decision } = finding;
  const isAnswered = decision.by === 'default' || decision.by === 'workspace';
  return command !== undefined && decision.behaviour === 'ask' && isAnswered
    ? { command, decision: byConfinement }
    : finding;
}

const byConfinement = allow('sandbox', 'the sandbox confines it to the workspace');

function listFindings(once: ShellCase): Finding[] {
  const script = readCaseScript(once);
  const given = openCase(once, findChangesBefore(script, once.call.workspace));
  const { parsed, commands } = script;
  const findings = commands.flatMap((command) => judgeCommand(given, command, given.whole));
  for (const decision of judgePossible(given, script)) findings.push({ command: undefined, decision });
  const [problem] = parsed.problems;
  const isExact = given.whole?.specifier !== undefined && !/^:?\*$/.test(given.whole.specifier);
  const isCovered = given.whole !== undefined && grantsCount(given) && (isExact || !parsed.isUnread);
  // Unparsed text is asked about: its content is unknown.
  const isAnswered = given.confined && !parsed.isUnread;
  if (problem && !isCovered && !skipsQuestions(given))
    findings.push({ command: undefined, decision: isAnswered ? byConfinement : askAbout(given, problem) });
  if (given.whole) findings.push({ command: undefined, decision: byRule('allow', given.whole) });
  else if (skipsQuestions(given))
    findings.push({ command: undefined, decision: allow('mode', 'mode bypassPermissions never asks') });
  return findings;
}

function judgeCommand(
  given: OpenCase,
  one: JudgedCommand,
  covered: Rule | undefined,
  isFed = false,
): Finding[] {
  const { command } = one;
  const isHarmless = one.effect.known && !one.effect.edits;
  const mayBeGranted = (grantsCount(given) || isHarmless) && !covered && !isFed;
  const grant: Grant = mayBeGranted ? findGrant(given, one) : {};
  const rule = grantsCount(given) || isHarmless ? (covered ?? grant.rule) : undefined;
  const isGranted = rule !== undefined || skipsQuestions(given);
  const cover: GrantCover = !isGranted ? 'nothing' : isSpelled(given, rule) ? 'everything' : 'program';
  const found = (decision: Decision): Finding => ({ command: one, decision });
  const findings: Finding[] = [];
  const granted = isGranted && !one.effect.known ? findGrantedEffect(command, one.effect.reason) : undefined;
  if (granted && !granted.known && cover === 'program')
    findings.push(found(askUntold(given, granted.reason)));
  const effect = granted ?? one.effect;
  if (isGranted && (!effect.known || (granted && isGit(command))) && !isExact(rule))
    findings.push(...judgeNamed(given, command, cover).map(found));
  if (isGranted) findings.push(...judgeRemovedByGit(given, one).map(found));
  if (isGranted) findings.push(...judgeRepositories(given, one, isExact(rule)).map(found));
  findings.push(...judgePrograms(given, one, readCaseScript(given), isExact(rule)).map(found));
  if (given.confined && !isGranted) findings.push(...judgeSeen(given, one).map(found));
  findings.push(
    ...findEntered(command, readCaseScript(given)).flatMap((use) =>
      judgeUse(given, one, use, 'everything').map(found),
    ),
  );
  if (isHarmless && !isGranted) findings.push(found(allow('default', 'it only reads')));
  // A grant for a command does not cover the file that its output goes to, unless the whole line was granted.
  const isWhole = given.whole !== undefined || skipsQuestions(given);
  const outer: GrantCover = isWhole ? 'everything' : 'nothing';
  if (effect.known)
    findings.push(
      ...effect.uses.flatMap((use) => judgeUse(given, one, use, use.output ? outer : cover).map(found)),
    );
  findings.push(...(grant.uses ?? []).flatMap((use) => judgeUse(given, one, use, cover).map(found)));
  const opened = findOpenedByGit(one, given.call.workspace);
  if (opened === untold && !isGranted)
    findings.push(found(ask('workspace', "git's settings, which may name files to show, cannot be read")));
  findings.push(...listKnown(opened).flatMap((use) => judgeUse(given, one, use, cover).map(found)));
  findings.push(...one.redirects.flatMap((use) => judgeUse(given, one, use, outer).map(found)));
  const carried =
    effect.known && effect.carries
      ? judgeCarried(
          { ...one, effect },
          readCaseScript(given),
          given.call.workspace,
          (path) => judgeWrite(given, path),
          rule && !given.inside ? 'protected-path' : 'default',
        )
      : undefined;
  const uses = [
    ...(effect.known ? effect.uses : []),
    ...(grant.uses ?? []),
    ...one.redirects,
    ...listKnown(opened),
  ];
  const touched = isWhole
    ? undefined
    : findTouched(command, effect, uses, changesBefore(given, one, isGranted), given.call.workspace);
  if (touched !== undefined)
    findings.push(found(isGranted ? askUntold(given, touched) : ask('workspace', touched)));
  if (effect.known && effect.links && !skipsQuestions(given) && followsLinks(readCaseScript(given), one))
    findings.push(found(askUntold(given, 'another part of the line may follow the link that it creates')));
  if (carried && (!isGranted || isFirm(carried))) findings.push(found(carried));
  const kept = findKept(one, given.refusing, given.call.workspace);
  if (kept) findings.push(found(mayMeetRule(kept)));
  const overwritten = isGranted ? findOverwritten(one, given.refusing, given.call.workspace) : undefined;
  if (overwritten) findings.push(found(mayMeetRule(overwritten)));
  findings.push(...judgeShownLater(given, one, readCaseScript(given)).map(found));
  if (isGranted) {
    const fetched = judgeFetched(given, one, readCaseScript(given));
    findings.push(...[...judgeTaken(given, one), ...judgeMerged(given, one), ...fetched].map(found));
  }
  const stray = isGranted
    ? undefined
    : (findStray(one, given.call.workspace) ?? findCredentialAround(one, given.call.workspace));
  if (stray !== undefined) findings.push(found(ask('workspace', stray)));
  const chosen = isGranted || !effect.known ? undefined : findChosen(command, given.call.workspace);
  if (chosen !== undefined) findings.push(found(askAbout(given, chosen)));
  if (rule) findings.push(found(byRule('allow', rule)));
  else if (!isGranted && !effect.known) findings.push(found(askAbout(given, grant.fault ?? effect.reason)));
  else if (!isGranted && effect.known && effect.edits && given.ceiling.shell === 'ask')
    findings.push(found(askAbout(given, 'it changes files')));
  // A rule for find does not cover what find runs.
  const passed =
    rule && command.wrapper?.kind === 'runs' && command.words[0]?.text === 'find' ? given.whole : rule;
  if (command.wrapper?.kind === 'opaque') return [...findings, ...judgeHidden(given, one)];
  // A rule for what they run does not either: its words come from names and piped input.
  const feeds = isFed || /^(?:find|xargs)$/.test(basename(command.words[0]?.text ?? ''));
  return [...findings, ...one.inner.flatMap((inner) => judgeCommand(given, inner, passed, feeds))];
}

/** Commands that may be in the words of another one: only refusals apply to them. */
function judgeHidden(given: OpenCase, { inner }: JudgedCommand): Finding[] {
  return inner
    .flatMap((one) => judgeCommand(given, one, undefined))
    .filter(({ decision }) => decision.behaviour === 'deny');
}

/** If rules allow a program and another part, both are the user's decision. */
function changesBefore({ before }: OpenCase, one: JudgedCommand, isGranted: boolean): readonly FileChange[] {
  const changes = before.get(one) ?? [];
  return isGranted ? changes.filter(({ byProgram }) => !byProgram) : changes;
}

/** A rule with every word of the command, or one for all commands, leaves nothing open. */
function isSpelled(given: ShellCase, rule: Rule | undefined): boolean {
  if (skipsQuestions(given) || !rule) return true;
  return isWholeTool(rule) || isExact(rule);
}

/** Its subcommands write more files than are known. */
function isGit({ words }: SimpleCommand): boolean {
  return basename(readLiteral(words[0]) ?? '') === 'git';
}

/** It spells out a command, with all of its words. */
function isExact(rule: Rule | undefined): boolean {
  return rule?.specifier !== undefined && !rule.specifier.includes('*');
}

/** Where nothing may be written, a grant does not allow changes; in a sandbox the system enforces that. */
function grantsCount({ ceiling, inside }: ShellCase): boolean {
  return ceiling.shell !== 'ask' || inside === true;
}

/** The rule that allows a command itself, or why none of them covers all of it. */
interface Grant {
  readonly rule?: Rule;
  readonly fault?: string;
  readonly uses?: readonly PathUse[];
}

/** Variables that a command sets for itself must be harmless, or the rule was for another command. */
function findGrant({ rules }: ShellCase, { command }: JudgedCommand): Grant {
  if (command.words.length === 0 || command.wrapper?.kind === 'through') return {};
  if (!hasPlainAssignments(command)) return {};
  let fault: string | undefined;
  for (const rule of rules) {
    if (rule.behaviour !== 'allow' || rule.specifier === undefined || !grants(rule, command)) continue;
    const check = checkRunner(command.words, spelledWords(rule, command));
    if (check.fault === undefined) return { rule, uses: check.uses };
    fault ??= check.fault;
  }
  return fault === undefined ? {} : { fault };
}

function readCaseScript({ access, call }: ShellCase): Script {
  return readScript(access, call.workspace);
}

/** Whether a script changes nothing: every part of it is known to be read-only. */
export function isReadOnly(
  access: ShellAccess,
  place: ShellPlace,
): { yes: true } | { yes: false; reason: string } {
  const script = readScript(access, place);
  const reason = findChange(script);
  if (reason !== undefined) return { yes: false, reason };
  return script.all.length > 0 ? { yes: true } : { yes: false, reason: 'it is empty' };
}
