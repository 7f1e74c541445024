import { linksInGitData } from '../../workspace/git/walk.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { Directories } from '../directories.ts';
import { appeared } from '../exposure.ts';
import { describeProtected } from '../policy.ts';
import { hasChangedIn, type Period } from './changes.ts';
import { endLeftProcesses } from './first-processes.ts';
import { isSealed, readIdentity } from './identities.ts';
import { type LeftJournal, readJournals } from './left-journals.ts';
import { statEntry } from './look.ts';
import { isInstalled } from './names.ts';
import { releaseLeftStandIns } from './noted-places.ts';
import { onlyLinksAmong } from './protected-places.ts';
import { quarantine } from './quarantine.ts';
import { findReplaysFrom, type PlantedReplays, plantedReplays } from './replay-lists.ts';
import { isHeldStandIn, releaseStandIn } from './stand-ins.ts';
import { findGitDirectories, pickTopRoots } from './survey.ts';

/**
 * Cleans up after commands whose process was killed while they ran: removes stand-ins for missing directories, and protected
 * paths that were created or changed while the command can have run. The commands died with their process; one that did not
 * is ended first. Returns messages for the user.
 */
export function recoverConfined(home: string): string[] {
  const outlived = endLeftProcesses(home);
  releaseLeftStandIns(home);
  const findEnd = ({ owner, end }: LeftJournal) =>
    outlived.some(({ pid, start }) => pid === owner.pid && start === owner.start) ? Date.now() : end;
  const journals = readJournals(home);
  return journals
    .filter((one) => !one.isLive && one.claim())
    .flatMap((one) => {
      const left = { ...one, end: findEnd(one) };
      const said = [
        ...quarantine({ ...findLeft(left, home), links: [], copies: [] }, home),
        ...quarantine({ ...findLeftReplays(left), onlyLinks: new Set(), links: [] }, home).map(
          (text) => `${plantedReplays}. ${text}`,
        ),
      ];
      for (const path of one.placeholders) releaseStandIn(path, false);
      return said.map((text) => `A command was interrupted when Cadre was killed. ${text}.`);
    });
}

function findLeftReplays({ since, end, roots, exposed, copied, held }: LeftJournal): PlantedReplays {
  const directories = [
    ...exposed.git.map(({ directory }) => directory),
    ...findGitDirectories(copied.map(([path]) => path)),
  ];
  const writable = roots.map((root) => [root, ''] as const);
  return findReplaysFrom({ since, until: end }, directories, new Map([...writable, ...held]));
}

function findLeft({ since, end, roots, exposed, before, standing, ...journal }: LeftJournal, home: string) {
  const period: Period = { since, until: end };
  const starts = [...pickTopRoots(roots), ...exposed.git.map(({ directory }) => directory)];
  const directories = new Directories(
    starts.map((path) => [path, { node: statEntry(path)?.ino ?? 0, time: 0 }] as const),
    since,
    resolveRealPath(home),
  );
  for (const _ of directories.round());
  const known = new Set(standing);
  const held = new Map(journal.held);
  const copied = new Map(journal.copied);
  // Too little is known about packages to tell which of their directories were moved.
  const isMoved = (path: string) =>
    !isInstalled(path) && copied.get(path) !== readIdentity(path) && directories.isMoved(path, period);
  const fresh = [
    ...appeared(
      new Map(before),
      describeProtected(exposed, (data) => linksInGitData(data)),
    ),
    ...[...directories.met].filter((path) => !known.has(path)),
  ].filter(
    (path) => !isSealed(path, held) && !isHeldStandIn(path) && (hasChangedIn(path, period) || isMoved(path)),
  );
  return { fresh, onlyLinks: onlyLinksAmong(fresh, exposed.git) };
}
