import { joinTold, mapTold, type Told, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { ask } from '../../places/reasons.ts';
import type { Decision } from '../../protocol/permission.ts';
import { everything, type Sweep } from '../grammar/types.ts';
import { mayBreak } from '../walk/broken-names.ts';
import { credentialsMet, linksMet } from './met-below.ts';
import type { ResolvedUse } from './uses.ts';

/** A path that is read or listed. A pattern is judged by the names it becomes: a link among them may lead anywhere. */
export function judgeLook(
  place: ResolvedUse,
  judgeRead: (path: string) => Decision,
  look: Look | undefined,
): Decision {
  const { path, pattern, kind, sweep, pieces } = place;
  const decision = judgeRead(path);
  if (decision.behaviour !== 'allow' || !look) return decision;
  if (pieces && mayBreak(pieces, look))
    return ask('workspace', 'a name with blanks or special characters may be split into several');
  const isFollowing = sweep !== undefined && sweep !== 'none' && sweep.follows === true;
  // Listing a directory by name lists the target of a link.
  const isNamesOnly = kind === 'list' && (sweep === 'none' || sweep === undefined);
  if (pattern === undefined && !isFollowing) return decision;
  const opened =
    pattern !== undefined && isNamesOnly ? listPassed(path, pattern, look) : listOpened(place, look);
  if (opened === untold)
    return ask(
      'workspace',
      `the targets of the names in ${path} are unknown: there are too many, or they contain blanks`,
    );
  return opened.map(judgeRead).find(({ behaviour }) => behaviour !== 'allow') ?? decision;
}

/** The files and directories that a command opens. For a listed file only the name is shown. */
function listOpened({ path, pattern, kind, sweep }: ResolvedUse, look: Look): Told<readonly string[]> {
  const how = sweep && sweep !== 'none' ? sweep : undefined;
  if (pattern === undefined || pattern.includes('**'))
    return directoriesIf(kind === 'list' && !how?.follows, look, metBelow(look, path, how ?? everything));
  const named = look.expand(path, pattern);
  if (!how?.follows || named === untold) return directoriesIf(kind === 'list', look, named);
  const below = named.filter((one) => look.isDirectory(one)).map((one) => metBelow(look, one, how));
  return joinTold(named, ...below);
}

/** Links lead anywhere. A credential file is included where names are asked for: other searches pass many files. */
function metBelow(look: Look, directory: string, sweep: Sweep): Told<readonly string[]> {
  return joinTold(
    linksMet(look, directory, sweep),
    sweep.only ? credentialsMet(look, directory, { ...sweep, deep: true }) : [],
  );
}

function directoriesIf(
  isListing: boolean,
  look: Look,
  paths: Told<readonly string[]>,
): Told<readonly string[]> {
  return isListing ? mapTold(paths, (all) => all.filter((one) => look.isDirectory(one))) : paths;
}

/**
 * The directories that a shell lists to expand a pattern: one of them may be a link. With a slash at the end also the names
 * themselves: no program that is given `link/` sees a link.
 */
function listPassed(path: string, pattern: string, look: Look): Told<readonly string[]> {
  if (!pattern.includes('/')) return [];
  return directoriesIf(true, look, look.expand(path, pattern.slice(0, pattern.lastIndexOf('/'))));
}
