import { basename } from 'node:path';
import type { Access, Decision, PermissionMode, Rule } from '../../protocol/permission.ts';
import { judgeMove } from '../moves.ts';
import { isInside, resolvePath } from '../paths.ts';
import { sharedFile } from '../protected.ts';
import { allow, ask, byRule, nameRule, strictness } from '../reasons.ts';
import type { Call, Ceiling } from '../types.ts';
import { judgeCarried } from './carried.ts';
import type { PathUse } from './effect.ts';
import { foundBelow } from './found-below.ts';
import { findGitDirectories } from './git-directories.ts';
import { findKept, findStray } from './git-rules.ts';
import { gitWrites } from './git-writes.ts';
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
  describeUnclear,
  isAbout,
  isCritical,
  mayBreak,
  mayMeet,
  placesOf,
  type ResolvedUse,
} from './uses.ts';
import { hasPlainAssignments } from './variables.ts';

export type Watch = (findings: readonly Finding[]) => void;

export interface ShellCase {
  readonly watch?: Watch;
  readonly access: ShellAccess;
  readonly ceiling: Ceiling;
  readonly mode: PermissionMode;
  /** Without those that this ceiling takes away. */
  readonly rules: readonly Rule[];
  readonly call: Call;
  /** The rule that allows the command as a whole. */
  readonly whole: Rule | undefined;
  /** It would run in a sandbox that makes up for what is not known of it. */
  readonly confined?: boolean;
  /** It would run in a sandbox, where a grant lets it write nothing that the ceiling keeps. */
  readonly inside?: boolean;
  /** The judgement of one path, as of a tool that is made for it. */
  judgePath(tool: string, access: Access): Decision;
}

/** A part of a script with what was found about it. */
export interface Finding {
  readonly command: JudgedCommand | undefined;
  readonly decision: Decision;
}

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
  const decision = strictest && isGrant ? strictest : allow('default', 'every part of it only reads');
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

/** A case with what was found out on the way. */
interface OpenCase extends ShellCase {
  readonly refusing: readonly Rule[];
  readonly known: Map<string, Decision>;
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
  if (isHarmless && !isGranted) findings.push(found(allow('default', 'it only reads')));
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
  const found = judgePlaces(given, places ?? guesses ?? [], isGranted);
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

/** A grant to a command does not answer this. */
function isFirm({ behaviour, by }: Decision): boolean {
  return behaviour === 'deny' || by === 'protected-path' || by === 'rule';
}

function scriptOf({ access, call }: ShellCase): Script {
  return readScript(access, call.workspace);
}

function distinct(places: readonly ResolvedUse[]): readonly ResolvedUse[] {
  if (places.length < 2 || places.some(({ pieces }) => pieces)) return places;
  return [...new Map(places.map((place) => [`${place.path}\0${place.pattern ?? ''}`, place])).values()];
}

function judgePlace(given: OpenCase, place: ResolvedUse): Decision {
  if (place.sweep !== undefined || place.pieces) return judgeOnce(given, place);
  const key = `${place.kind} ${place.path}\0${place.pattern ?? ''}`;
  const decision = given.known.get(key) ?? judgeOnce(given, place);
  given.known.set(key, decision);
  return decision;
}

function judgeOnce(given: OpenCase, place: ResolvedUse): Decision {
  const { kind, path, pattern } = place;
  if (kind === 'write' || kind === 'remove') {
    // Other names of what is removed stay.
    const judge = (one: string) =>
      kind === 'write' ? judgeWrite(given, one) : given.judgePath('Edit', { kind: 'write', path: one });
    const decision = judge(path);
    if (pattern === undefined || decision.behaviour !== 'allow') return decision;
    const meant = given.call.workspace.look?.expand(path, pattern) ?? [];
    return (
      meant.map(judge).find(isFirm) ?? ask('default', `which files of ${path} it changes is not in the text`)
    );
  }
  const tool = kind === 'list' || kind === 'enter' ? 'Glob' : kind === 'search' ? 'Grep' : 'Read';
  const decision = judgeLooks(given, place, tool);
  // A rule about what is in a directory is none about standing there; what is done there is judged by itself.
  if (kind === 'enter') return judgeEntry(given, path, decision);
  const met = decision.behaviour === 'deny' ? undefined : findMet(given, place);
  if (met) return mayMeetRule(met);
  return decision.behaviour === 'allow' ? (judgeLinked(given, place) ?? decision) : decision;
}

/** What a rule refuses to be read has perhaps another name, under which a search comes across it. */
function judgeLinked(given: OpenCase, { kind, path }: ResolvedUse): Decision | undefined {
  const { look } = given.call.workspace;
  if (kind !== 'search' || !given.refusing.some(({ tool }) => tool === 'Read')) return undefined;
  const judged = look?.linked(path).map((one) => given.judgePath('Read', { kind: 'read', path: one }));
  return judged?.find(({ behaviour, by }) => behaviour !== 'allow' && by === 'rule');
}

/** In the sandbox a file with other names outside is read-only, whatever the text says. */
function judgeWrite(given: ShellCase, path: string): Decision {
  const decision = given.judgePath('Edit', { kind: 'write', path });
  if (decision.behaviour !== 'allow' || skipsQuestions(given)) return decision;
  const shared = sharedFile(resolvePath(path, given.call.workspace), given.call.workspace);
  return shared === undefined ? decision : ask(given.inside ? 'workspace' : 'protected-path', shared);
}

function mayMeetRule(rule: Rule): Decision {
  return { ...ask('rule', `it may come across what ${nameRule(rule)} is about`), rule };
}

/** A pattern by what it becomes: a link among the names may lead anywhere. */
function judgeLooks(given: ShellCase, place: ResolvedUse, tool: string): Decision {
  const { path, pattern, kind, sweep, pieces } = place;
  const decision = given.judgePath(tool, { kind: 'read', path });
  const { look } = given.call.workspace;
  if (decision.behaviour !== 'allow' || !look) return decision;
  if (pieces && mayBreak(pieces, look))
    return ask('workspace', 'a name with blanks or signs in it may become several on its way');
  const isFollowing = sweep !== undefined && sweep !== 'none' && sweep.follows === true;
  // A directory that is listed by its name is listed where a link leads.
  const isNamesOnly = kind === 'list' && (sweep === 'none' || sweep === undefined);
  if (pattern === undefined ? !isFollowing : isNamesOnly) return decision;
  const isFound = pattern === undefined || pattern.includes('**');
  const paths = isFound ? foundBelow(look, path, sweep) : look.expand(path, pattern);
  if (!paths)
    return ask(
      'workspace',
      `where the names in ${path} lead cannot be told: they are too many, or hold blanks`,
    );
  // Of a file that is listed nothing but the name is shown.
  const opened = kind === 'list' && !isFollowing ? paths.filter((one) => look.isDirectory(one)) : paths;
  for (const one of opened) {
    const inner = given.judgePath(tool, { kind: 'read', path: one });
    if (inner.behaviour !== 'allow') return inner;
  }
  return decision;
}

/** Where a shell may go is said by `Cd(…)`; else it may go where it may list. */
function judgeEntry({ call, rules }: ShellCase, path: string, decision: Decision): Decision {
  const { workspace } = call;
  const own = judgeMove(rules, path, call);
  if (own) return decision.behaviour === 'deny' && decision.by !== 'rule' ? decision : own;
  if (decision.by !== 'rule') return decision;
  const directories = [workspace.cwd, ...workspace.directories];
  return isInside(resolvePath(path, workspace), directories, workspace)
    ? allow('workspace', `${path} is in the workspace`)
    : ask('workspace', `${path} is outside the workspace`);
}

function findMet(given: OpenCase, place: ResolvedUse): Rule | undefined {
  return given.refusing.find((rule) => mayMeet(rule, place));
}

function refusingRules({ rules, ceiling }: ShellCase): Rule[] {
  const denied = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  return [...denied, ...rules.filter((rule) => rule.behaviour !== 'allow')];
}

function skipsQuestions({ mode, ceiling }: ShellCase): boolean {
  return mode === 'bypassPermissions' && ceiling.shell !== 'ask';
}

function unasked({ ceiling }: ShellCase, reason: string): Decision {
  return ceiling.shell === 'ask'
    ? ask('ceiling', `the session asks before every command that may change something: ${reason}`)
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
