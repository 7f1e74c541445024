import { isLossy } from '../../lib/text/utf8.ts';
import { joinTold, mapTold, type Told, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import { isWithin } from '../../workspace/paths.ts';
import { broughtBack, isMet, mayFindDirectory } from '../judge/met-below.ts';
import type { ResolvedUse } from '../judge/uses.ts';
import { openCover } from './rule-cover.ts';

/**
 * Whether nothing that a pattern becomes, or that is below a searched directory, is covered by a rule. Other names of files,
 * by links of either kind, are judged separately.
 */
export function isRuledOut(rule: Rule, place: ResolvedUse, workspace: CallWorkspace): boolean {
  const { look, realPath } = workspace;
  if (!look || place.pieces || place.ofGit) return false;
  const isAbout = openCover(rule, 'read', workspace);
  const { kind, path, pattern } = place;
  if (pattern !== undefined && !pattern.includes('**')) {
    const paths: Told<readonly string[]> = kind === 'search' ? untold : look.expand(path, pattern);
    return paths !== untold && !paths.some((one) => isAbout(one, realPath(one)));
  }
  const inner = innerPaths(place, look);
  if (inner === untold || inner.length > maxPaths || inner.some(isLossy)) return false;
  const real = realPath(path);
  const isFound = openFound(place, look);
  return (
    !isAbout(path, real) &&
    !inner.some((one) => isFound(`${path}/${one}`) && isAbout(`${path}/${one}`, `${real}/${one}`))
  );
}

/**
 * Whether a search takes a file, as far as its own options say: `rg` skips hidden names, `--include` takes only some. Names
 * that another command found count where none of them is a directory, which could hold files of other names.
 */
function openFound({ path, pattern, sweep }: ResolvedUse, look: Look): (path: string) => boolean {
  const any = () => true;
  if (sweep === undefined || sweep === 'none' || (sweep.tracked && !sweep.only)) return any;
  if (pattern !== undefined && (pattern !== '**' || !sweep.only || mayFindDirectory(look, path, sweep)))
    return any;
  const back = broughtBack(look, path, sweep);
  return back === untold ? any : (one) => isMet(one, path, sweep, back);
}

/** Each is compared with the rule. */
const maxPaths = 50_000;

/** Everything below, relative to the directory; none below a file. */
function innerPaths({ path, sweep }: ResolvedUse, look: Look): Told<readonly string[]> {
  // Links lead to other places.
  const { follows, from = [] } = sweep === undefined || sweep === 'none' ? {} : sweep;
  if (follows || !from.every((one) => isWithin(one, path) && !one.includes('/..'))) return untold;
  if (!look.isDirectory(path)) return [];
  const held = look.held(path);
  if (held === untold) return untold;
  return held
    .filter((one) => /(?:^|\/)\.git$/.test(one))
    .map((git) => mapTold(look.held(`${path}/${git}`), (names) => names.map((name) => `${git}/${name}`)))
    .reduce((all, more) => joinTold(all, more), held as Told<readonly string[]>);
}
