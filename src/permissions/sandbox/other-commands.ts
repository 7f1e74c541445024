import { basename, dirname } from 'node:path';
import { foldName } from '../paths.ts';
import { leads } from '../protected-names.ts';
import { changedIn, type Period } from './changes.ts';
import { appeared } from './exposure.ts';
import { identityOf, isSealed } from './identities.ts';
import { type LeftJournal, readJournals } from './left-journals.ts';
import { isBelow } from './look.ts';
import { isProtectedIn } from './names.ts';
import { standingAt } from './policy.ts';

/** The confined commands of all sessions that are running, or that were cut off and not cleared up behind yet. */
export interface OtherCommands {
  /** When the first of them began. */
  readonly since: number;
  /** Whether one of them made or changed a protected path: then it is not what the user had there. */
  made(path: string): boolean;
}

/**
 * What is at protected paths when a command begins is its base line, but for what others that still run have put there:
 * that goes when they end, and must not be taken for the user's own from then on. `roots` is where the command can write.
 */
export function findOtherCommands(home: string, roots: readonly string[]): OtherCommands {
  const others = readJournals(home)
    .filter((one) => one.roots.some((root) => roots.some((own) => isBelow(root, own) || isBelow(own, root))))
    .map(openTraces);
  return {
    since: Math.min(...others.map(({ since }) => since)),
    made: (path) => others.some((one) => one.made(path)),
  };
}

/** Two looks are as good as the commands that either of them met. */
export function joinOtherCommands(first: OtherCommands, second: OtherCommands): OtherCommands {
  return {
    since: Math.min(first.since, second.since),
    made: (path) => first.made(path) || second.made(path),
  };
}

function openTraces(journal: LeftJournal): OtherCommands {
  const { since, roots, exposed } = journal;
  // Killed ones are cleared up behind as far as this.
  const period: Period = journal.isLive ? { since } : { since, until: journal.end };
  const [held, standing, copied] = [
    new Map(journal.held),
    new Set(journal.standing),
    new Map(journal.copied),
  ];
  const fresh = new Set(appeared(new Map(journal.before), standingAt(exposed)));
  const isFresh = (path: string) => {
    for (let at = path; ; at = dirname(at)) {
      if (fresh.has(at)) return true;
      if (at === dirname(at)) return false;
    }
  };
  const isChanged = (path: string) =>
    mayBeMet(path) &&
    roots.some((root) => isBelow(path, root)) &&
    !standing.has(path) &&
    copied.get(path) !== identityOf(path) &&
    changedIn(path, period);
  return { since, made: (path) => !isSealed(path, held) && (isFresh(path) || isChanged(path)) };
}

/** As entries of a directory are sorted: by its name, as the head of a git directory, or a link in the place of a holder. */
function mayBeMet(path: string): boolean {
  const name = basename(path);
  return name === 'HEAD' || leads.has(foldName(name)) || isProtectedIn(dirname(path), name);
}
