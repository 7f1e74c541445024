import { basename } from 'node:path';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { allow, ask, byRule, strictness } from '../reasons.ts';
import { judgeCarried } from './carried.ts';
import type { PathUse } from './effect.ts';
import { findGitDirectories } from './git-directories.ts';
import { findKept, findStray } from './git-rules.ts';
import { gitWrites } from './git-writes.ts';
import { judgePlace, judgeWrite, meetsOwn, ownSecret } from './judge-place.ts';
import { findOptionName } from './option-names.ts';
import { grants } from './rules.ts';
import {
  changeOf,
  type JudgedCommand,
  readScript,
  type Script,
  type ShellAccess,
  type ShellPlace,
} from './script.ts';
import {
  type Finding,
  isFirm,
  mayMeetRule,
  type OpenCase,
  type ShellCase,
  skipsQuestions,
} from './shell-case.ts';
import { describeUnclear, isAbout, isCritical, placesOf, type ResolvedUse } from './uses.ts';
import { hasPlainAssignments } from './variables.ts';

/** What nothing has refused so far: every part must be known, or be allowed by a rule. */
export function judgeParts(given: ShellCase): Decision {
  const findings = given.confined ? findingsOf(given).map(confinedFinding) : findingsOf(given);
  given.watch?.(findings);
  const strictest = findings.reduce<Decision | undefined>(
    (worst, { decision }) => (worst && rank(worst) >= rank(decision) ? worst : decision),
    undefined,
  );
  if (strictest && strictest.behaviour !== 'allow') return strictest;
  const script = scriptOf(given);
  const isGrant = strictest?.by === 'rule' || strictest?.by === 'mode';
  // What a repository makes git run is confined too, and what the line is to change needs its filters and protocols.
  if (strictest?.by === 'sandbox') return strictest;
  if (strictest && isGrant && given.inside && changeOf(script) !== undefined) return strictest;
  const git = findGitDirectories(script, given.call.workspace);
  const decision =
    strictest && isGrant ? strictest : allow('default', 'every part of it is known to change nothing');
  return git.length > 0 ? { ...decision, neutralise: { git } } : decision;
}

/** A sandbox answers what is asked for want of knowledge, or of a right it takes away; not what somebody wants to be asked. */
function confinedFinding(finding: Finding): Finding {
  const { command, decision } = finding;
  const isAnswered = decision.by === 'default' || decision.by === 'workspace';
  return command !== undefined && decision.behaviour === 'ask' && isAnswered
    ? { command, decision: byConfinement }
    : finding;
}

const byConfinement = allow('sandbox', 'the sandbox confines it to the workspace');

/** The same few paths come up again and again in a long script. */
function remembering(given: ShellCase): OpenCase {
  const known = new Map<string, Decision>();
  const judgePath: ShellCase['judgePath'] = (tool, access) => {
    const key = 'path' in access ? `${tool}\0${access.path}` : '';
    const decision = known.get(key) ?? given.judgePath(tool, access);
    if (key !== '') known.set(key, decision);
    return decision;
  };
  return { ...given, judgePath, refusing: refusingRules(given), known: new Map() };
}

function findingsOf(once: ShellCase): Finding[] {
  const given = remembering(once);
  const { parsed, commands } = scriptOf(given);
  const findings = commands.flatMap((command) => judgeCommand(given, command, given.whole));
  const [problem] = parsed.problems;
  const isExact = given.whole?.specifier !== undefined && !/^:?\*$/.test(given.whole.specifier);
  const isCovered = given.whole !== undefined && grantsCount(given) && (isExact || !parsed.isUnread);
  // What could not even be read is asked about: nobody has seen what it is.
  const isAnswered = given.confined && !parsed.isUnread;
  if (problem && !isCovered && !skipsQuestions(given))
    findings.push({ command: undefined, decision: isAnswered ? byConfinement : unasked(given, problem) });
  if (given.whole) findings.push({ command: undefined, decision: byRule('allow', given.whole) });
  else if (skipsQuestions(given))
    findings.push({ command: undefined, decision: allow('mode', 'bypassPermissions asks about nothing') });
  return findings;
}

function judgeCommand(
  given: OpenCase,
  one: JudgedCommand,
  covered: Rule | undefined,
  isFed = false,
): Finding[] {
  const { command, effect } = one;
  const isHarmless = effect.known && !effect.edits;
  const rule =
    grantsCount(given) || isHarmless ? (covered ?? (isFed ? undefined : findGrant(given, one))) : undefined;
  const isGranted = rule !== undefined || skipsQuestions(given);
  const found = (decision: Decision): Finding => ({ command: one, decision });
  const findings: Finding[] = [];
  if (isHarmless && !isGranted) findings.push(found(allow('default', 'it is known to change nothing')));
  if (effect.known)
    findings.push(...effect.uses.flatMap((use) => judgeUse(given, one, use, isGranted).map(found)));
  // A grant to a command is none to the file that its output is sent to, unless the whole line was meant.
  const isWhole = given.whole !== undefined || skipsQuestions(given);
  findings.push(...one.redirects.flatMap((use) => judgeUse(given, one, use, isWhole).map(found)));
  const written = isGranted && !effect.known ? gitWrites(command) : [];
  findings.push(...written.flatMap((use) => judgeUse(given, one, use, isWhole).map(found)));
  const carried =
    effect.known && effect.carries
      ? judgeCarried(one, scriptOf(given), given.call.workspace, (path) => judgeWrite(given, path))
      : undefined;
  if (carried && (!isGranted || isFirm(carried))) findings.push(found(carried));
  const kept = findKept(one, given.refusing, given.call.workspace);
  if (kept) findings.push(found(mayMeetRule(kept)));
  const stray = isGranted ? undefined : findStray(one, given.call.workspace);
  if (stray !== undefined) findings.push(found(ask('workspace', stray)));
  if (rule) findings.push(found(byRule('allow', rule)));
  else if (!isGranted && !effect.known) findings.push(found(unasked(given, effect.reason)));
  else if (!isGranted && effect.known && effect.edits && given.ceiling.shell === 'ask')
    findings.push(found(unasked(given, 'it changes files')));
  // A rule for find is none for what find runs.
  const passed =
    rule && command.wrapper?.kind === 'runs' && command.words[0]?.text === 'find' ? given.whole : rule;
  if (command.wrapper?.kind === 'opaque') return findings;
  // Nor is one for what they run: its words come from names and from what is piped in.
  const feeds = isFed || /^(?:find|xargs)$/.test(basename(command.words[0]?.text ?? ''));
  return [...findings, ...one.inner.flatMap((inner) => judgeCommand(given, inner, passed, feeds))];
}

/** Where nothing may be written, a grant is none to change something; in a sandbox the system sees to that. */
function grantsCount({ ceiling, inside }: ShellCase): boolean {
  return ceiling.shell !== 'ask' || inside === true;
}

/** What a command sets for itself must be harmless, or the rule was for another command. */
function findGrant({ rules }: ShellCase, { command }: JudgedCommand): Rule | undefined {
  if (command.words.length === 0 || command.wrapper?.kind === 'through') return undefined;
  if (!hasPlainAssignments(command)) return undefined;
  return rules.find(
    (rule) => rule.behaviour === 'allow' && rule.specifier !== undefined && grants(rule, command),
  );
}

/** Nothing to say of a use that is fine, or of one that the command's own grant covers. */
function judgeUse(given: OpenCase, { command }: JudgedCommand, use: PathUse, isGranted: boolean): Decision[] {
  const { workspace } = given.call;
  const places = placesOf(use, command.directories, workspace);
  const guesses = use.word.guesses
    ? placesOf({ ...use, word: { ...use.word, values: use.word.guesses } }, command.directories, workspace)
    : undefined;
  const known = places ?? guesses ?? [];
  const found = judgePlaces(given, known, isGranted);
  // What find meets, another command opens.
  const opened = command.inner.length > 0 ? known.filter(({ kind }) => kind === 'list') : [];
  if (opened.some((place) => meetsOwn(given, { ...place, kind: 'search' })))
    found.push(ownSecret(use.word.text));
  const isUnclear = !places || command.isAstray === true;
  const met =
    isUnclear && !skipsQuestions(given) ? given.refusing.find((rule) => isAbout(rule, use)) : undefined;
  if (met) found.push(mayMeetRule(met));
  const option = isGranted ? undefined : findOptionName(use, command.directories, workspace.look);
  if (option !== undefined) found.push(unasked(given, `${option} would be taken for an option`));
  if (!places && !isGranted) found.push(unasked(given, describeUnclear(use)));
  return found;
}

function judgePlaces(given: OpenCase, places: readonly ResolvedUse[], isGranted: boolean): Decision[] {
  return distinct(places).flatMap((place) => {
    if (isCritical(place, given.call.workspace))
      return [ask('protected-path', `removing ${place.path} is always asked about`)];
    const decision = judgePlace(given, place);
    if (decision.behaviour === 'allow') return isGranted ? [] : [decision];
    return isFirm(decision) || !isGranted ? [decision] : [];
  });
}

function scriptOf({ access, call }: ShellCase): Script {
  return readScript(access, call.workspace);
}

function distinct(places: readonly ResolvedUse[]): readonly ResolvedUse[] {
  if (places.length < 2 || places.some(({ pieces }) => pieces)) return places;
  return [...new Map(places.map((place) => [`${place.path}\0${place.pattern ?? ''}`, place])).values()];
}

function refusingRules({ rules, ceiling }: ShellCase): Rule[] {
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  return [...denied, ...rules.filter((rule) => rule.behaviour !== 'allow')];
}

function unasked({ ceiling }: ShellCase, reason: string): Decision {
  return ceiling.shell === 'ask'
    ? ask('ceiling', `the session asks before every command that is not known to change nothing: ${reason}`)
    : ask('default', `no rule allows this command, and ${reason}`);
}

/** Among what is allowed, the sandbox says most of how it runs, and a rule is the better explanation than what is known. */
function rank(decision: Decision): number {
  if (decision.behaviour !== 'allow') return strictness(decision);
  return ranks.get(decision.by) ?? 0;
}

const ranks: ReadonlyMap<string, number> = new Map([
  ['sandbox', 0.7],
  ['rule', 0.5],
  ['mode', 0.3],
]);

/** Whether a script changes nothing: every part of it is known to. */
export function isReadOnly(
  access: ShellAccess,
  place: ShellPlace,
): { yes: true } | { yes: false; reason: string } {
  const script = readScript(access, place);
  const reason = changeOf(script);
  if (reason !== undefined) return { yes: false, reason };
  return script.all.length > 0 ? { yes: true } : { yes: false, reason: 'it is empty' };
}
