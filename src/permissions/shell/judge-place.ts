import type { Decision, Rule } from '../../protocol/permission.ts';
import { judgeMove } from '../moves.ts';
import { isInside, resolvePath } from '../paths.ts';
import { sharedFile } from '../protected.ts';
import { allow, ask, deny } from '../reasons.ts';
import { foundBelow, otherNamesBelow } from './found-below.ts';
import { isAboutKept } from './git-rules.ts';
import { meetsOwnSecret } from './own-secrets.ts';
import { isFirm, mayMeetRule, type OpenCase, type ShellCase, skipsQuestions } from './shell-case.ts';
import { mayBreak, mayMeet, type ResolvedUse } from './uses.ts';

/** The judgement of one place that a command touches, by the rules and by what is there. */
export function judgePlace(given: OpenCase, place: ResolvedUse): Decision {
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
  if (meetsOwn(given, place)) return ownSecret(path);
  const tool = kind === 'list' || kind === 'enter' ? 'Glob' : kind === 'search' ? 'Grep' : 'Read';
  const decision = judgeLooks(given, place, tool);
  // A rule about what is in a directory is none about standing there; what is done there is judged by itself.
  if (kind === 'enter') return judgeEntry(given, path, decision);
  const met = decision.behaviour === 'deny' ? undefined : findMet(given, place);
  if (met) return mayMeetRule(met);
  return decision.behaviour === 'allow' ? (judgeOtherNames(given, place) ?? decision) : decision;
}

/** In the sandbox they do not exist. */
export function meetsOwn({ inside, call }: ShellCase, place: ResolvedUse): boolean {
  return !inside && meetsOwnSecret(place, call.workspace);
}

export function ownSecret(path: string): Decision {
  return deny('protected-path', `${path} holds our own keys, which no command may come across`);
}

/** What a rule refuses to be read has perhaps another name, under which a search comes across it. */
function judgeOtherNames(given: OpenCase, { kind, path, pattern, sweep }: ResolvedUse): Decision | undefined {
  const { look } = given.call.workspace;
  const isSearch = kind === 'search' || (kind === 'read' && pattern?.includes('**'));
  const [rule] = given.refusing.filter(({ tool }) => tool === 'Read');
  if (!isSearch || !look || !rule) return undefined;
  const names = otherNamesBelow(look, path, sweep);
  if (!names) return mayMeetRule(rule);
  const judged = names.map((one) => given.judgePath('Read', { kind: 'read', path: one }));
  return judged.find(({ behaviour, by }) => behaviour !== 'allow' && by === 'rule');
}

/** In the sandbox a file with other names outside is read-only, whatever the text says. */
export function judgeWrite(given: ShellCase, path: string): Decision {
  const decision = given.judgePath('Edit', { kind: 'write', path });
  if (decision.behaviour !== 'allow' || skipsQuestions(given)) return decision;
  const shared = sharedFile(resolvePath(path, given.call.workspace), given.call.workspace);
  return shared === undefined ? decision : ask(given.inside ? 'workspace' : 'protected-path', shared);
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
  const { sweep } = place;
  const isKept = sweep !== 'none' && sweep?.tracked;
  return given.refusing.find(
    (rule) =>
      mayMeet(rule, place) && (!isKept || isAboutKept(rule, place.path, given.call.workspace) !== false),
  );
}
