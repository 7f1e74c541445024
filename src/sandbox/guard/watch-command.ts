import { join } from '../../lib/files/exact-paths.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { appeared, type Exposure, lostLinks } from '../exposure.ts';
import type { SandboxOptions } from '../options.ts';
import { describeProtected, type Plan } from '../policy.ts';
import { type Identities, identify, isSealed, readIdentity, replacedOnes } from './identities.ts';
import { openJournal } from './journal.ts';
import { describeLeftBehind, type ProtectedAtEnd } from './left-behind.ts';
import { describeLeftLocks, findLocks } from './left-locks.ts';
import { isInstalled, isPlantedInGit } from './names.ts';
import { findOtherCommands, joinOtherCommands, type OtherCommands } from './other-commands.ts';
import { onlyLinksAmong } from './protected-places.ts';
import { quarantine } from './quarantine.ts';
import { plantedReplays, type ReplayLists } from './replay-lists.ts';
import type { RepositoryCopies } from './repository-copies.ts';
import type { SharedHomes } from './shared-homes.ts';
import { isHeldStandIn } from './stand-ins.ts';
import { findGitDirectories, isRepositoryMark, locateGitDirectory } from './survey.ts';
import type { GuardSweep, GuardWatch, ProtectedChanges } from './sweep.ts';
import { readHandled, takenFolder } from './taken.ts';

export interface WatchOptions extends Pick<SandboxOptions, 'home' | 'notify'> {
  terms: { readonly outside: boolean };
  late: string[];
  homes: SharedHomes;
  repositories: RepositoryCopies;
  replays: ReplayLists;
}

export interface CommandWatch {
  /** Whether it has created what it may not create. */
  offends(): boolean;
  /**
   * For its end: repairs its changes to protected paths, and returns messages about them. `refused`: paths among the closed
   * ones that it could not write, as far as its output says so.
   */
  end(about: Pick<ProtectedAtEnd, 'closed' | 'refused'>): string[];
  /** When its cleanup is complete: everything that exists now existed before the next command. */
  close(): void;
}

export interface CommandStart {
  placeholders: readonly string[];
  held: Identities;
  /** As they were before it was planned. */
  others: OtherCommands;
}

/** State of the protected paths when a command begins, to be compared when it has ended. Not for a read-only command. */
export function watchCommand(
  { exposed, policy, roots }: Plan,
  sweep: GuardSweep,
  watch: GuardWatch,
  start: CommandStart,
  { home, homes, notify, terms, late, repositories, replays }: WatchOptions,
): CommandWatch {
  const { survey } = sweep;
  const { placeholders } = start;
  const begun = Date.now();
  const found = describeProtected(exposed, sweep.findLinks(watch.links));
  // A second look finds commands that started while this one was planned.
  const others = joinOtherCommands(start.others, findOtherCommands(homes, roots));
  const isOwn = (path: string) => !others.made(path);
  const before = new Map([...found].filter(([path, now]) => now === 'empty' || !others.made(path, now)));
  const held = new Map([...start.held].filter(([path, identity]) => identity === '' || isOwn(path)));
  const ofOthers = identify([...found.keys()].filter((path) => !before.has(path)));
  const gitDirectories = exposed.git.map(({ directory }) => directory).filter(isOwn);
  repositories.keep(gitDirectories);
  const replayed = [...gitDirectories, ...findGitDirectories(survey.unmounted).filter(isOwn)];
  replays.keep(replayed, watch.others);
  const locks = findLocks(gitDirectories);
  const standing = [
    ...before.keys(),
    ...policy.paths.flatMap(({ path, access }) => (access === 'read' ? [path] : [])),
    ...gitDirectories,
    ...gitDirectories.filter(isPlantedInGit).map((directory) => join(directory, 'HEAD')),
    ...survey.repositories.map(locateGitDirectory),
    ...survey.unmounted.filter((path) => isRepositoryMark(path) && sweep.keeps(path)),
  ].filter(isOwn);
  const journal = openJournal(home, {
    ...{ since: watch.since, roots, placeholders, exposed, before, standing, held },
    copied: identify(survey.unmounted.filter((path) => !isInstalled(path))),
  });
  homes.note();
  watch.standing = new Set(standing);
  if (journal.time !== undefined) sweep.startAt(watch, journal.time);
  const appearedNow = (after: Exposure) => appeared(before, after).filter((path) => !isSealed(path, held));
  const own = ({ paths, kept }: ProtectedChanges): ProtectedChanges => ({
    // Another session may work in a directory below, and have a stand-in there.
    paths: paths.filter((path) => !isSealed(path, held) && !isHeldStandIn(path)),
    kept,
  });
  const undone: string[] = [];
  const isUntouched = (path: string) => ofOthers.has(path) && ofOthers.get(path) === readIdentity(path);
  const handledNow = () => readHandled(homes.listFolder(takenFolder, roots), begun);
  const removeRestored = (paths: readonly string[]) => {
    const { isRestored } = handledNow();
    return paths.filter((path) => !isRestored(path));
  };
  const setRight = ({ paths, kept }: ProtectedChanges, after?: Exposure) => {
    const all = [...(after ? appearedNow(after) : []), ...paths, ...kept.foreign];
    const fresh = all.length === 0 ? [] : removeRestored(all);
    const onlyLinks = onlyLinksAmong(fresh, exposed.git);
    const links = after ? lostLinks(before, after) : [];
    const wrongs = { fresh, onlyLinks, links, copies: kept.changed };
    const said = quarantine(wrongs, home);
    undone.push(...fresh, ...kept.changed.map(({ path }) => path));
    for (const text of said) notify(`${text}. ${ownWork}`);
    return said.map((text) => `${text}.${terms.outside ? ` ${askOutside}` : ''}`);
  };
  // Entries that appeared where we took something away meanwhile, for another command, did not exist before.
  const forgetTaken = () => {
    const { taken } = handledNow();
    for (const path of taken) for (const one of [before, held]) one.delete(path);
    watch.standing = new Set(standing.filter((path) => !taken.has(path)));
    return gitDirectories.filter((path) => !taken.has(path));
  };
  // Once links in the place of its parts are removed.
  const repair = (directories: readonly string[], after: Exposure) => {
    const { copies, said } = repositories.findBroken(directories, new Set(appearedNow(after)));
    const done = quarantine({ fresh: [], onlyLinks: new Set(), links: [], copies }, home);
    const all = [...done.map((text) => `The command broke a repository. ${text}`), ...said].map(
      (text) => `${text}.`,
    );
    for (const text of all) notify(text);
    return all;
  };
  const removeReplays = () => {
    const done = quarantine(
      { ...replays.findPlanted(replayed, start.held), onlyLinks: new Set(), links: [] },
      home,
    );
    const all = done.map((text) => `${plantedReplays}. ${text}.`);
    for (const text of all) notify(text);
    return all;
  };
  const settle = () => {
    journal.close();
    let others: OtherCommands | undefined;
    sweep.settle(watch, (path) => {
      others ??= findOtherCommands(homes, roots);
      return others.made(path);
    });
  };
  let isLookedThrough = false;
  return {
    offends: () =>
      appearedNow(describeProtected(exposed, sweep.findLinks())).some((path) => !isUntouched(path)) ||
      isAny(own(sweep.look(watch))),
    end(about) {
      const left = forgetTaken();
      const replaced = replacedOnes(held);
      for (const text of replaced) notify(`${text}.`);
      const { found, isWhole, links } = sweep.end(watch, (more) => {
        const theirs = own(more);
        for (const text of describeUnread(more.unread ?? [])) {
          notify(`${text}.`);
          late.push(`From an earlier command: ${text}.`);
        }
        if (isAny(theirs)) late.push(...setRight(theirs).map((text) => `From an earlier command: ${text}`));
        settle();
      });
      const after = describeProtected(exposed, sweep.findLinks(links));
      const said = [...setRight(own(found), after), ...repair(left, after), ...removeReplays()];
      isLookedThrough = isWhole;
      const locked = describeLeftLocks(locks, left);
      for (const text of locked) notify(`${text}.`);
      const behind = describeLeftBehind(
        { ...about, undone, hasMovedHead: (path) => repositories.hasMovedHead(path) },
        terms,
      );
      for (const text of behind) notify(text);
      return [...said, ...replaced, ...locked, ...behind];
    },
    close() {
      if (isLookedThrough) settle();
    },
  };
}

const ownWork =
  'If it is your own work from that time, move it back after the command ends: where.json there lists the original paths.';
const askOutside = 'If they are needed, create them with dangerouslyDisableSandbox: the user is asked first.';

function describeUnread(directories: readonly string[]): string[] {
  if (directories.length === 0) return [];
  const named = directories.slice(0, maxNamed).map((path) => visibleLine(path, 300));
  const more = directories.length > maxNamed ? ` and ${directories.length - maxNamed} more` : '';
  return [
    `These directories could not be read after the command, so it is unknown whether it made protected paths there; check them: ${named.join(', ')}${more}`,
  ];
}

const maxNamed = 10;

function isAny({ paths, kept }: ProtectedChanges): boolean {
  return paths.length + kept.changed.length + kept.foreign.length > 0;
}
