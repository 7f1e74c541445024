import { joinTold, type Told, untold } from '../../lib/told.ts';
import { credentialsAmong } from '../../places/credentials.ts';
import type { Look } from '../../places/look.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Rule } from '../../protocol/permission.ts';
import { holdsContent, holdsText, type ObjectStore } from '../../workspace/git/object-stores.ts';
import { isWithin, relativeParts } from '../../workspace/paths.ts';
import { findRuleOfStore, listKept } from '../git/stores.ts';
import { everything, type Sweep } from '../grammar/types.ts';
import { broughtBack, isMet, withoutNames } from './met-below.ts';
import type { OpenCase } from './shell-case.ts';
import type { ResolvedUse } from './uses.ts';

/* Searches that go through the objects of git, and so open all that git keeps and kept. */

/** A rule about a file that git keeps, where the files below a place are opened. */
export function findMetStored({ refusing, call }: OpenCase, place: ResolvedUse): Rule | undefined {
  const { workspace } = call;
  const rules = refusing.filter(({ tool }) => tool === 'Read');
  if (rules.length === 0 || place.byGit) return undefined;
  const stores = listStoresMet(place, workspace);
  if (stores === untold) return rules[0];
  for (const store of stores) {
    const rule = findRuleOfStore(store, rules, workspace, isNamedBy(place, store, workspace));
    if (rule) return rule;
  }
  return undefined;
}

/** The credential file that would be shown in the same way, or why it is unknown. */
export function findCredentialStored(place: ResolvedUse, workspace: CallWorkspace): string | undefined {
  const stores = listStoresMet(place, workspace);
  if (stores === untold) return unseen;
  for (const store of stores) {
    if (isNamedBy(place, store, workspace)) return 'objects of git, which may be files of any name';
    const kept = listKept(store, workspace.look);
    if (!kept) return unseen;
    const [found] = credentialsAmong(kept);
    if (found !== undefined) return found;
  }
  return undefined;
}

const unseen = 'objects of git, of which the history cannot be read';

/** By the name of the store itself a command takes all that is in there, also what no history leads to. */
function isNamedBy({ path }: ResolvedUse, store: ObjectStore, { realPath }: CallWorkspace): boolean {
  return [path, realPath(path)].some((one) => isWithin(one, store.path));
}

function listStoresMet(place: ResolvedUse, { look }: CallWorkspace): Told<readonly ObjectStore[]> {
  const { kind, path, pattern, sweep } = place;
  const isDeep = kind === 'search' || (kind === 'read' && pattern?.includes('**') === true);
  if (!look || !isDeep) return [];
  const how = sweep && sweep !== 'none' ? sweep : everything;
  if (pattern === undefined || pattern.includes('**')) return storesMet(look, path, how);
  const named = look.expand(path, pattern);
  if (named === untold) return untold;
  return joinTold(...named.filter((one) => look.isDirectory(one)).map((one) => storesMet(look, one, how)));
}

function storesMet(look: Look, directory: string, sweep: Sweep): Told<readonly ObjectStore[]> {
  const stores = sweep.tracked ? [] : look.storesBelow(directory);
  if (stores === untold || stores.length === 0) return stores;
  const back = broughtBack(look, directory, sweep);
  if (back === untold) return untold;
  return stores.filter((store) => {
    if (sweep.textOnly && !holdsText(store)) return false;
    if (sweep.passesGit && relativeParts(store.path, directory)?.includes('.git')) return false;
    if (!sweep.only) return isMet(`${store.path}/objects/x`, directory, withoutNames(sweep), back);
    const held = look.held(store.path);
    if (held === untold) return true;
    const paths = held.map((name) => `${store.path}/${name}`);
    return paths.some((path) => holdsContent(path, store) && isMet(path, directory, sweep, back));
  });
}
