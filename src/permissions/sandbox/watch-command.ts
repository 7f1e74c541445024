import { basename } from 'node:path';
import { appeared, type Exposure, lostLinks } from './exposure.ts';
import { type Identities, isSealed } from './identities.ts';
import { openJournal } from './journal.ts';
import type { SandboxOptions } from './options.ts';
import { type Plan, standingAt } from './policy.ts';
import { onlyLinksAmong } from './protected-places.ts';
import { quarantine } from './quarantine.ts';
import type { RepositoryCopies } from './repository-copies.ts';
import { gitDirectoryOf } from './survey.ts';
import type { Offences, Sweep, Watch } from './sweep.ts';

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
}

/** What stands at protected paths when a command begins, to be compared when it has ended. Not for one that only looks. */
export function watchCommand(
  { exposed, policy, roots }: Plan,
  sweep: Sweep,
  watch: Watch,
  { placeholders, held }: { placeholders: readonly string[]; held: Identities },
  { home, notify, terms, late, repositories }: WatchOptions,
): CommandWatch {
  const { survey } = sweep;
  const gitDirectories = exposed.git.map(({ directory }) => directory);
  repositories.keep(gitDirectories);
  const before = standingAt(exposed, sweep.plainFolders);
  const standing = [
    ...before.keys(),
    ...policy.paths.flatMap(({ path, access }) => (access === 'read' ? [path] : [])),
    ...gitDirectories,
    ...survey.repositories.map(gitDirectoryOf),
    ...survey.unmounted.filter((path) => isRepository(path) && sweep.keeps(path)),
  ];
  const journal = openJournal(home, {
    ...{ since: watch.since, roots, placeholders, exposed, before, standing, held },
  });
  watch.standing = new Set(standing);
  if (journal.time !== undefined) sweep.startAt(watch, journal.time);
  const appearedNow = (after: Exposure) => appeared(before, after).filter((path) => !isSealed(path, held));
  const own = ({ paths, odd, kept }: Offences): Offences => ({
    paths: paths.filter((path) => !isSealed(path, held)),
    odd: odd.filter(({ directory }) => !isSealed(directory, held)),
    kept,
  });
  const setRight = ({ paths, odd, kept }: Offences, after = before) => {
    const fresh = [...appearedNow(after), ...paths, ...kept.foreign];
    const onlyLinks = onlyLinksAmong(fresh, exposed.git);
    const wrongs = { fresh, onlyLinks, odd, links: lostLinks(before, after), copies: kept.changed };
    const said = quarantine(wrongs, home);
    for (const text of said) notify(`${text}. ${ownWork}`);
    return said.map((text) => `${text}.${terms.outside ? ` ${askOutside}` : ''}`);
  };
  // When links that stood in the place of its parts are out of the way.
  const repair = () => {
    const { copies, said } = repositories.findBroken(gitDirectories);
    const done = quarantine({ fresh: [], onlyLinks: new Set(), odd: [], links: [], copies }, home);
    const all = [...done.map((text) => `The command broke a repository. ${text}`), ...said].map(
      (text) => `${text}.`,
    );
    for (const text of all) notify(text);
    return all;
  };
  const settle = () => {
    sweep.settle(watch);
    journal.close();
  };
  return {
    offends: () =>
      appearedNow(standingAt(exposed, sweep.plainFolders)).length > 0 || isAny(own(sweep.look(watch))),
    end() {
      const { found, isWhole } = sweep.end(watch, (more) => {
        const theirs = own(more);
        if (isAny(theirs)) late.push(...setRight(theirs).map((text) => `Of an earlier command: ${text}`));
        settle();
      });
      const said = [...setRight(own(found), standingAt(exposed, sweep.plainFolders)), ...repair()];
      if (isWhole) settle();
      return said;
    },
  };
}

const ownWork = 'Should it be your own work, made meanwhile: where.json there says where it was.';
const askOutside =
  'If they are needed, make them with dangerouslyDisableSandbox: the user is asked about that.';

function isAny({ paths, odd, kept }: Offences): boolean {
  return paths.length + odd.length + kept.changed.length + kept.foreign.length > 0;
}

function isRepository(path: string): boolean {
  return basename(path) === '.git' || basename(path) === 'HEAD';
}
