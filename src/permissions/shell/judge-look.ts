import type { Decision } from '../../protocol/permission.ts';
import type { Look } from '../look.ts';
import { ask } from '../reasons.ts';
import { foundBelow } from './found-below.ts';
import { mayBreak, type ResolvedUse } from './uses.ts';

/** A path that is read or listed. A pattern counts by what it becomes: a link among the names may lead anywhere. */
export function judgeLook(
  place: ResolvedUse,
  judgeRead: (path: string) => Decision,
  look: Look | undefined,
): Decision {
  const { path, pattern, kind, sweep, pieces } = place;
  const decision = judgeRead(path);
  if (decision.behaviour !== 'allow' || !look) return decision;
  if (pieces && mayBreak(pieces, look))
    return ask('workspace', 'a name with blanks or signs in it may become several on its way');
  const isFollowing = sweep !== undefined && sweep !== 'none' && sweep.follows === true;
  // A directory that is listed by its name is listed where a link leads.
  const isNamesOnly = kind === 'list' && (sweep === 'none' || sweep === undefined);
  if (pattern === undefined && !isFollowing) return decision;
  const opened = pattern !== undefined && isNamesOnly ? passedBy(path, pattern, look) : openedBy(place, look);
  if (!opened)
    return ask(
      'workspace',
      `where the names in ${path} lead cannot be told: they are too many, or hold blanks`,
    );
  return opened.map(judgeRead).find(({ behaviour }) => behaviour !== 'allow') ?? decision;
}

/** The files and directories that a command opens. Of a file that is listed nothing but the name is shown. */
function openedBy({ path, pattern, kind, sweep }: ResolvedUse, look: Look): readonly string[] | undefined {
  const isFound = pattern === undefined || pattern.includes('**');
  const paths = isFound ? foundBelow(look, path, sweep) : look.expand(path, pattern);
  const isFollowing = sweep !== undefined && sweep !== 'none' && sweep.follows === true;
  return kind === 'list' && !isFollowing ? paths?.filter((one) => look.isDirectory(one)) : paths;
}

/** The directories that a shell lists to fill in a pattern: one of them may be a link. */
function passedBy(path: string, pattern: string, look: Look): readonly string[] | undefined {
  const way = pattern.replace(/\/+$/, '');
  if (!way.includes('/') || way.includes('**')) return [];
  const listed = look.expand(path, way.slice(0, way.lastIndexOf('/')));
  return listed?.filter((one) => look.isDirectory(one));
}
