import { joinTold, type Told, untold } from '../../lib/told.ts';
import { isInside, resolvePath } from '../../places/paths.ts';
import { sharedFile } from '../../places/protected.ts';
import { allow, ask, deny, strictness } from '../../places/reasons.ts';
import type { Decision, Rule } from '../../protocol/permission.ts';
import { mayBeAboutKept } from '../git/rules.ts';
import { everything } from '../grammar/types.ts';
import { judgeMove } from '../rules/moves.ts';
import { isRuledOut } from '../rules/ruled-out.ts';
import { judgeLook } from './judge-look.ts';
import { inwardMet, linksMet, sharedMet } from './met-below.ts';
import { findMetStored } from './met-stores.ts';
import { meetsOwnSecret } from './own-secrets.ts';
import { judgeRemovedBelow } from './removed-below.ts';
import { isFirm, mayMeetRule, type OpenCase, type ShellCase, skipsQuestions } from './shell-case.ts';
import { mayMeet, type ResolvedUse } from './uses.ts';

/** The decision about one place that a command touches, by the rules and by what is there. */
export function judgePlace(given: OpenCase, place: ResolvedUse): Decision {
  if (place.sweep !== undefined || place.pieces) return judgeOnce(given, place);
  const key = `${place.kind} ${place.whole} ${place.ofGit} ${place.path}\0${place.pattern ?? ''}`;
  const decision = given.known.get(key) ?? judgeOnce(given, place);
  given.known.set(key, decision);
  return decision;
}

function judgeOnce(given: OpenCase, place: ResolvedUse): Decision {
  const { kind, path } = place;
  if (kind === 'write' || kind === 'remove') return judgeChange(given, place);
  const own = judgeOwn(given, place);
  if (own?.behaviour === 'deny') return own;
  const tool = kind === 'list' || kind === 'enter' ? 'Glob' : kind === 'search' ? 'Grep' : 'Read';
  const judgeRead = (one: string) => given.judgePath(tool, { kind: 'read', path: one });
  const decision = judgeLook(place, judgeRead, given.call.workspace.look);
  // A rule about the content of a directory does not apply to entering it; actions there are judged separately.
  if (kind === 'enter') return judgeEntry(given, path, decision);
  if (decision.behaviour === 'deny') return decision;
  const met = findMet(given, place) ?? findMetStored(given, place);
  if (met) return mayMeetRule(met);
  if (own) return own;
  return decision.behaviour === 'allow' ? (judgeOtherNames(given, place) ?? decision) : decision;
}

function judgeChange(given: OpenCase, { kind, path, pattern, whole }: ResolvedUse): Decision {
  // Other names of a removed file stay.
  const judge = (one: string, isWhole: boolean) =>
    judgeWithHeld(given, one, isWhole, (path) =>
      kind === 'write' ? judgeWrite(given, path) : given.judgePath('Edit', { kind: 'write', path }),
    );
  const decision = judge(path, whole === true && pattern === undefined);
  if (pattern === undefined || decision.behaviour === 'deny') return decision;
  const { look } = given.call.workspace;
  const meant = look?.expand(path, pattern);
  if (meant === untold) return ask('protected-path', `${path} contains too many files to check`);
  const firm = meant?.map((one) => judge(one, whole === true)).filter(isFirm) ?? [];
  const [worst] = firm.sort((a, b) => strictness(b) - strictness(a));
  if (worst) return worst;
  return decision.behaviour === 'allow'
    ? ask('default', `the command does not name the files in ${path} that it changes`)
    : decision;
}

function judgeWithHeld(
  { call, refusing }: OpenCase,
  path: string,
  isWhole: boolean,
  judge: (path: string) => Decision,
): Decision {
  const own = judge(path);
  if (!isWhole || own.behaviour === 'deny') return own;
  const inner = judgeRemovedBelow(path, refusing, call.workspace, judge);
  return inner && strictness(inner) > strictness(own) ? inner : own;
}

/** The decision for a place where a command may reach our own keys. In the sandbox they do not exist. */
export function judgeOwn({ inside, call }: ShellCase, place: ResolvedUse): Decision | undefined {
  const met: Told<boolean> = !inside && meetsOwnSecret(place, call.workspace);
  if (met === false) return undefined;
  return met === true
    ? deny('protected-path', `${place.path} holds Cadre's own keys, which no command may read`)
    : ask('protected-path', `${place.path} is too large to check whether it contains Cadre's own keys`);
}

/** A file that a rule refuses to read may have another name, under which a search finds it. */
function judgeOtherNames(given: OpenCase, place: ResolvedUse): Decision | undefined {
  const { kind, path, pattern } = place;
  const sweep = place.sweep && place.sweep !== 'none' ? place.sweep : everything;
  const { look } = given.call.workspace;
  const isSearch = kind === 'search' || (kind === 'read' && pattern?.includes('**'));
  const [rule] = given.refusing.filter(({ tool }) => tool === 'Read');
  if (!isSearch || !look || !rule) return undefined;
  const links = joinTold(linksMet(look, path, sweep), inwardMet(look, path, sweep));
  const names = joinTold(sharedMet(look, path, sweep), links);
  if (names === untold) return mayMeetRule(rule);
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

/** `Cd(…)` rules decide where a shell may go; otherwise it may go where it may list. */
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
      mayMeet(rule, place, given.call.workspace) &&
      !isRuledOut(rule, place, given.call.workspace) &&
      (!isKept || mayBeAboutKept(rule, place.path, given.call.workspace)),
  );
}
