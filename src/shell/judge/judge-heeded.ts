import { dirname } from 'node:path';
import { type Told, untold } from '../../lib/told.ts';
import type { Heeded } from '../../places/heeded.ts';
import { isInside, resolvePath } from '../../places/paths.ts';
import { ask } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import type { PathUse } from '../programs/effect.ts';
import { judgePlace } from './judge-place.ts';
import { isFirm, mayMeetRule, type OpenCase } from './shell-case.ts';
import { isAbout, type ResolvedUse } from './uses.ts';

/** Files that a search opens by itself to learn what it skips: each that is not plain may be any file. */
export function judgeHeeded(
  given: OpenCase,
  use: PathUse,
  places: readonly ResolvedUse[],
  directories: readonly string[],
): Decision[] {
  const { workspace } = given.call;
  const files = listHeeded(use, places, directories, workspace);
  const plain = new Set(files.flatMap((file) => (file !== untold && file.isPlain ? [file.path] : [])));
  return files.flatMap((file) => {
    if (file === untold) return judgeUnseen(given);
    const decision = judgePlace(given, { kind: 'read', path: file.path });
    if (decision.behaviour === 'allow') return [];
    // A link to another of them shows nothing more.
    const isUsual = plain.has(workspace.realPath(file.path)) || isOwnLink(file, workspace);
    return isFirm(decision) || !isUsual ? [decision] : [];
  });
}

/** `untold`: files that could not be looked for. */
export function listHeeded(
  use: PathUse,
  places: readonly ResolvedUse[],
  directories: readonly string[],
  { look }: CallWorkspace,
): readonly Told<Heeded>[] {
  if (!heeds(use) || !look) return [];
  const found = new Map<string, Told<Heeded>>();
  for (const path of new Set(places.map((place) => place.path))) {
    const files = look.heeded(path, directories);
    if (files === untold) found.set('', untold);
    else for (const file of files) found.set(file.path, file);
  }
  return [...found.values()];
}

export function heeds({ sweep }: PathUse): boolean {
  return sweep !== undefined && sweep !== 'none' && sweep.heeds === true;
}

/** A link in the user's own home, which no repository brings. */
function isOwnLink({ path }: Heeded, workspace: CallWorkspace): boolean {
  const { cwd, directories, userHome, realPath } = workspace;
  const place = resolvePath(dirname(path), workspace);
  return place.real === realPath(userHome) && !isInside(place, [cwd, ...directories], workspace);
}

function judgeUnseen(given: OpenCase): Decision[] {
  const rule = given.refusing.find((one) => isAbout(one, { kind: 'read' }));
  const unseen = ask('workspace', 'there are too many files to find those that tell a search what to skip');
  return [rule ? mayMeetRule(rule) : unseen];
}
