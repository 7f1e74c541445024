import { joinTold, listKnown, mapTold, type Told, untold } from '../../lib/told.ts';
import {
  credentialExamples,
  credentialsAmong,
  findCredential,
  isCredential,
} from '../../places/credentials.ts';
import type { Heeded } from '../../places/heeded.ts';
import type { Look } from '../../places/look.ts';
import { mayMatchName } from '../../places/name-pattern.ts';
import { foldName, resolvePath } from '../../places/paths.ts';
import type { CallWorkspace } from '../../places/types.ts';
import { findPast, printsCommits } from '../git/history.ts';
import { gitPlaces } from '../git/moves.ts';
import { findOpenedByGit } from '../git/opened.ts';
import { mayShow, stripRevision, widenLook } from '../git/shows.ts';
import { findStoreAt } from '../git/stores.ts';
import { everything, readLiteral, type SimpleCommand, type Sweep } from '../grammar/types.ts';
import type { GitLook, PathUse } from '../programs/effect.ts';
import { mayBreak } from '../walk/broken-names.ts';
import { readScript, type ShellAccess } from '../walk/script.ts';
import { listHeeded } from './judge-heeded.ts';
import { closedLinksMet, credentialsMet, sameCredentialsMet } from './met-below.ts';
import { findCredentialStored } from './met-stores.ts';
import { type ResolvedUse, resolveUses } from './uses.ts';

/**
 * How a command that changes nothing could still show a file that holds credentials, or its name; undefined when it cannot.
 * For agents to whom these are closed. Only for commands that are fully known.
 */
export function credentialsShown(access: ShellAccess, workspace: CallWorkspace): string | undefined {
  const { look } = workspace;
  const script = readScript(access, workspace);
  // A long script repeats the same few places.
  const clear = new Set<string>();
  const seen = new Map<PathUse, readonly string[]>();
  for (const one of script.all) {
    const { command, effect, redirects } = one;
    if (!effect.known) continue;
    const opened = findOpenedByGit(one, workspace);
    if (opened === untold) return unseen;
    for (const use of [...effect.uses, ...redirects, ...opened]) {
      if (seen.get(use) === command.directories) continue;
      seen.set(use, command.directories);
      const places = listKnown(resolveUses(use, command.directories, workspace));
      const found = first(places, (place) => {
        const key = `${place.kind} ${place.path}\0${place.pattern ?? ''}`;
        const isPlain = !place.sweep && !place.pieces;
        if (clear.has(key) && isPlain) return undefined;
        if (isPlain) clear.add(key);
        return findShown(place, workspace, look);
      });
      const heeded = listHeeded(use, places, command.directories, workspace);
      const skipping = found ?? first(heeded, (file) => findHeededShown(file, workspace));
      if (skipping !== undefined) return skipping;
    }
    const shown = effect.git && gitShows(effect.git, command, workspace);
    if (shown !== undefined) return shown;
  }
  return undefined;
}

function findHeededShown(file: Told<Heeded>, workspace: CallWorkspace): string | undefined {
  if (file === untold) return unseen;
  return findCredential(resolvePath(file.path, workspace), workspace.look);
}

const unseen = 'its content is too large to check, or cannot be read';

const anyObject = 'an object of git, which may be a file of any name';

function findShown(place: ResolvedUse, workspace: CallWorkspace, look: Look | undefined): string | undefined {
  const { path, pattern, kind, sweep } = place;
  const isOpened = kind === 'read' || kind === 'search';
  const itself = (one: string) => {
    const resolved = resolvePath(one, workspace);
    const own = findCredential(resolved, look);
    return own ?? (isOpened && findStoreAt(resolved, look) ? anyObject : undefined);
  };
  const stored = isOpened ? findCredentialStored(place, workspace) : undefined;
  if (stored !== undefined) return stored;
  if (pattern === undefined) {
    const own = itself(path);
    if (own !== undefined) return own;
    const isSweeping = (kind === 'list' || kind === 'search') && sweep !== 'none';
    const how = sweep && sweep !== 'none' ? sweep : everything;
    return isSweeping ? swept(path, how, look, how.follows === true, kind === 'list') : undefined;
  }
  if (!look || (place.pieces && mayBreak(place.pieces, look))) return unseen;
  if (pattern.includes('**') || (sweep && sweep !== 'none' && pattern === '**'))
    return swept(path, sweep && sweep !== 'none' ? sweep : everything, look, true, kind === 'list');
  const paths = look.expand(path, pattern);
  if (paths === untold) return unseen;
  return first(paths, (one) => {
    const own = itself(one);
    if (own !== undefined || kind === 'read' || kind === 'enter' || sweep === 'none') return own;
    return swept(one, sweep ?? everything, look, sweep?.follows === true, kind === 'list');
  });
}

/** The first credential file that a search from a directory finds; links are included where they are followed. */
function swept(
  directory: string,
  sweep: Sweep,
  look: Look | undefined,
  isFollowing: boolean,
  isListing: boolean,
): string | undefined {
  if (!look) return unseen;
  // The name alone of a file that has another one says nothing.
  const found = joinTold(
    credentialsMet(look, directory, sweep),
    isListing ? [] : sameCredentialsMet(look, directory, sweep),
    isFollowing || sweep.tracked ? closedLinksMet(look, directory, sweep) : [],
  );
  return found === untold ? unseen : found[0];
}

/** Git shows tracked files from its own store: the work tree does not matter, the list of tracked files does. */
function gitShows(git: GitLook, command: SimpleCommand, workspace: CallWorkspace): string | undefined {
  const { look } = workspace;
  if (git.shows === 'nothing' && !git.opensObjects && !git.showsNotes) return undefined;
  if (git.words.some((word) => !word.values)) return 'a computed revision or path';
  const texts = git.words.flatMap((word) => word.values?.map(({ text }) => text) ?? []);
  const named = texts.map(stripRevision).find((path) => isCredential(path) || mayName(path));
  if (named !== undefined) return named;
  if (git.words.some((word) => readLiteral(word) === undefined))
    return 'a pattern that git or the shell expands';
  if (!look) return unseen;
  return first(gitPlaces(git.move, command.directories, workspace), (place) => {
    if (printsCommits(git, place, look)) return undefined;
    const past = findPast(git, place, look);
    if (typeof past === 'string') return past;
    if (git.shows === 'nothing') return undefined;
    const kept = look.tracked(place);
    const others = git.untracked ? mapTold(look.below(place), ({ credentials }) => credentials) : [];
    const linked = look.linkedCredentials(place);
    if (kept === untold || others === untold || linked === untold) return unseen;
    const same = linked.filter((path) => kept.includes(path));
    const held = [...credentialsAmong(kept), ...others, ...credentialsAmong(past), ...same];
    const wide = widenLook(git, place, look);
    return held.find((path) => mayShow(wide, path, place));
  });
}

/** Git's patterns cross slashes and match dots: anything that may name a credential file, now or in history, is included. */
function mayName(path: string): boolean {
  if (!/[*?[]/.test(path)) return false;
  const pattern = foldName(path);
  return credentialExamples().some(
    (name) => mayMatchName(pattern, name) || mayMatchName(pattern, name.split('/').at(-1) ?? ''),
  );
}

function first<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
