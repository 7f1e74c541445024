import { basename } from '../../lib/files/exact-paths.ts';
import { appeared, type Exposure, lostLinks } from '../exposure.ts';
import type { SandboxOptions } from '../options.ts';
import { type Plan, describeProtected } from '../policy.ts';
import { type Identities, identify, readIdentity, isSealed, replacedOnes } from './identities.ts';
import { openJournal } from './journal.ts';
import { isInstalled } from './names.ts';
import { findOtherCommands, joinOtherCommands, type OtherCommands } from './other-commands.ts';
import { onlyLinksAmong } from './protected-places.ts';
import { quarantine } from './quarantine.ts';
import type { RepositoryCopies } from './repository-copies.ts';
import { isHeldStandIn } from './stand-ins.ts';
import { locateGitDirectory } from './survey.ts';
import type { ProtectedChanges, GuardSweep, GuardWatch } from './sweep.ts';
import { readHandled } from './taken.ts';

export interface WatchOptions extends Pick<SandboxOptions, 'home' | 'notify'> {
  terms: { readonly outside: boolean };
  late: string[];
  repositories: RepositoryCopies;
}

export interface CommandWatch {
  /** Whether it has made what it may not make. */
  offends(): boolean;
  /** For when it is gone: sets right what it did to protected paths, and says so. */
  end(): string[];
  /** For when nothing is left to be cleared up behind it: what exists now was there before the next command. */
  close(): void;
}

export interface CommandStart {
  placeholders: readonly string[];
  held: Identities;
  /** As they were before it was planned. */
  others: OtherCommands;
}

/** What stands at protected paths when a command begins, to be compared when it has ended. Not for one that only looks. */
export function watchCommand(
  { exposed, policy, roots }: Plan,
  sweep: GuardSweep,
  watch: GuardWatch,
  start: CommandStart,
  { home, notify, terms, late, repositories }: WatchOptions,
): CommandWatch {
  const { survey } = sweep;
  const { placeholders } = start;
  const begun = Date.now();
  const found = describeProtected(exposed, sweep.findLinks(watch.links));
  // One that began while this one was planned is met by a second look.
  const others = joinOtherCommands(start.others, findOtherCommands(home, roots));
  const isOwn = (path: string) => !others.made(path);
  const before = new Map([...found].filter(([path, now]) => now === 'empty' || !others.made(path, now)));
  const held = new Map([...start.held].filter(([path, identity]) => identity === '' || isOwn(path)));
  const ofOthers = identify([...found.keys()].filter((path) => !before.has(path)));
  const gitDirectories = exposed.git.map(({ directory }) => directory).filter(isOwn);
  repositories.keep(gitDirectories);
  const standing = [
    ...before.keys(),
    ...policy.paths.flatMap(({ path, access }) => (access === 'read' ? [path] : [])),
    ...gitDirectories,
    ...survey.repositories.map(locateGitDirectory),
    ...survey.unmounted.filter((path) => isRepository(path) && sweep.keeps(path)),
  ].filter(isOwn);
  const journal = openJournal(home, {
    ...{ since: watch.since, roots, placeholders, exposed, before, standing, held },
    copied: identify(survey.unmounted.filter((path) => !isInstalled(path))),
  });
  watch.standing = new Set(standing);
  if (journal.time !== undefined) sweep.startAt(watch, journal.time);
  const appearedNow = (after: Exposure) => appeared(before, after).filter((path) => !isSealed(path, held));
  const own = ({ paths, kept }: ProtectedChanges): ProtectedChanges => ({
    // Another session may work in a directory below, and have one stand in there.
    paths: paths.filter((path) => !isSealed(path, held) && !isHeldStandIn(path)),
    kept,
  });
  const isUntouched = (path: string) => ofOthers.has(path) && ofOthers.get(path) === readIdentity(path);
  const setRight = ({ paths, kept }: ProtectedChanges, after?: Exposure) => {
    const { isRestored } = readHandled(home, begun);
    const all = [...(after ? appearedNow(after) : []), ...paths, ...kept.foreign];
    const fresh = all.filter((path) => !isRestored(path));
    const onlyLinks = onlyLinksAmong(fresh, exposed.git);
    const links = after ? lostLinks(before, after) : [];
    const wrongs = { fresh, onlyLinks, links, copies: kept.changed };
    const said = quarantine(wrongs, home);
    for (const text of said) notify(`${text}. ${ownWork}`);
    return said.map((text) => `${text}.${terms.outside ? ` ${askOutside}` : ''}`);
  };
  // What came to where we took something away meanwhile, for another command, is not what was there before.
  const forgetTaken = () => {
    const { taken } = readHandled(home, begun);
    for (const path of taken) for (const one of [before, held]) one.delete(path);
    watch.standing = new Set(standing.filter((path) => !taken.has(path)));
    return gitDirectories.filter((path) => !taken.has(path));
  };
  // When links that stood in the place of its parts are out of the way.
  const repair = (directories: readonly string[], after: Exposure) => {
    const { copies, said } = repositories.findBroken(directories, new Set(appearedNow(after)));
    const done = quarantine({ fresh: [], onlyLinks: new Set(), links: [], copies }, home);
    const all = [...done.map((text) => `The command broke a repository. ${text}`), ...said].map(
      (text) => `${text}.`,
    );
    for (const text of all) notify(text);
    return all;
  };
  const settle = () => {
    journal.close();
    sweep.settle(watch, findOtherCommands(home, roots).made);
  };
  let isLookedThrough = false;
  return {
    offends: () =>
      appearedNow(describeProtected(exposed, sweep.findLinks())).some((path) => !isUntouched(path)) ||
      isAny(own(sweep.look(watch))),
    end() {
      const left = forgetTaken();
      const replaced = replacedOnes(held);
      for (const text of replaced) notify(`${text}.`);
      const { found, isWhole, links } = sweep.end(watch, (more) => {
        const theirs = own(more);
        if (isAny(theirs)) late.push(...setRight(theirs).map((text) => `Of an earlier command: ${text}`));
        settle();
      });
      const after = describeProtected(exposed, sweep.findLinks(links));
      const said = [...setRight(own(found), after), ...repair(left, after)];
      isLookedThrough = isWhole;
      return [...said, ...replaced];
    },
    close() {
      if (isLookedThrough) settle();
    },
  };
}

const ownWork =
  'If it is your own work, made meanwhile, move it back when the command is over: where.json there says where it was.';
const askOutside =
  'If they are needed, make them with dangerouslyDisableSandbox: the user is asked about that.';

function isAny({ paths, kept }: ProtectedChanges): boolean {
  return paths.length + kept.changed.length + kept.foreign.length > 0;
}

function isRepository(path: string): boolean {
  return basename(path) === '.git' || basename(path) === 'HEAD';
}
