import { join } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { quote } from '../../lib/shell-quote.ts';
import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { type GitOptions, git } from './git.ts';

interface Stash {
  id: string;
  message: string;
}

/** The stashes of a repository: `refs/stash` names only the newest, its log has them all. */
export interface Stashes {
  /** By id, the oldest first. */
  listed: ReadonlyMap<string, Stash>;
  /** Those that commands made: they may also remove them. */
  made: ReadonlySet<string>;
  /** Those of the user that commands dropped, and that git still had. */
  dropped: ReadonlyMap<string, Stash>;
}

export interface StashDamage {
  /** Stashes that git no longer has, in sentences. */
  said: string[];
  /** Stashes that one command brings back. */
  repaired: string[];
  /** Their objects. */
  ids: string[];
  now: Stashes;
}

export function readStashes(shared: string, before?: Stashes): Stashes {
  const { made = new Set<string>(), dropped = new Map<string, Stash>() } = before ?? {};
  return { listed: readLog(join(shared, 'logs', 'refs', 'stash')), made, dropped };
}

/** After a command. `newest` is where `refs/stash` leads now, `kept` the objects that git may have deleted. */
export async function compareStashes(
  before: Stashes,
  { root, shared, newest, kept }: { root: string; shared: string; newest?: string; kept?: string },
  place: GitOptions,
): Promise<StashDamage> {
  const { listed } = readStashes(shared);
  const made = new Set([...before.made, ...[...listed.keys()].filter((id) => !before.listed.has(id))]);
  const isGone = ({ id }: Stash) => !listed.has(id) && !made.has(id);
  const gone = [...before.listed.values()].filter(isGone);
  const earlier = [...before.dropped.values()].filter(isGone);
  const pruned = await findMissing([...gone, ...earlier], place);
  const missing =
    kept === undefined ? pruned : await findMissing(pickStashes(pruned, before), beside(kept, shared, place));
  const dropped = gone.filter(({ id }) => !missing.has(id));
  const lost = [...gone, ...earlier].filter(({ id }) => missing.has(id));
  const restorable = [...earlier.filter(({ id }) => !missing.has(id)), ...dropped];
  // Without its log the newest one is not listed, and git would not list it again.
  const isUnlisted = listed.size === 0 && newest !== undefined;
  return {
    said: lost.map((stash) => `${describe(stash, root)} Git no longer has it: its content is lost.`),
    repaired: dropped.map((stash, at) => {
      const command = `${isUnlisted && at === 0 ? 'git update-ref -d refs/stash; ' : ''}${formatStore(stash)}`;
      const first = pruned.has(stash.id)
        ? 'Git no longer has it, but a rewind puts its content back. Then'
        : 'To bring it back';
      return `${describe(stash, root)} ${first}: ${command}`;
    }),
    ids: [...gone, ...earlier].map(({ id }) => id).filter((id) => !missing.has(id)),
    now: { listed, made, dropped: new Map(restorable.map((stash) => [stash.id, stash])) },
  };
}

function pickStashes(ids: ReadonlySet<string>, { listed, dropped }: Stashes): Stash[] {
  return [...ids].flatMap((id) => listed.get(id) ?? dropped.get(id) ?? []);
}

function beside(kept: string, shared: string, place: GitOptions): GitOptions {
  return { ...place, objects: { own: join(shared, 'objects'), shared: kept } };
}

/** Whether a repair offers to bring back a stash that was lost later. */
export function offersLostStash(repair: string, lost: Iterable<string>): boolean {
  const id = /^The command dropped the stash ([0-9a-f]+) /.exec(repair)?.[1];
  return (
    id !== undefined && [...lost].some((loss) => loss.startsWith(`The command dropped the stash ${id} `))
  );
}

function describe({ id, message }: Stash, root: string): string {
  return `The command dropped the stash ${id} (${show(message)}) of the repository in ${show(root)}.`;
}

/** Messages are anybody's text: pasting this into a shell must run nothing else. */
function formatStore({ id, message }: Stash): string {
  return `git stash store -m ${quote(show(message))} ${id}`;
}

async function findMissing(stashes: readonly Stash[], place: GitOptions): Promise<ReadonlySet<string>> {
  if (stashes.length === 0) return new Set();
  const input = stashes.map(({ id }) => `${id}^{tree}\n`).join('');
  const asked = await git(['cat-file', '--batch-check'], { ...place, input });
  const lines = asked.ok ? asked.value.split('\n') : [];
  return new Set(stashes.filter((_, at) => !/ tree \d+$/.test(lines[at] ?? '')).map(({ id }) => id));
}

function readLog(path: string): Map<string, Stash> {
  const read = readBounded(path, maxBytes, { refusesLinks: true });
  const text = read.state === 'read' ? read.bytes.toString('utf8') : '';
  const found = text.split('\n').flatMap((line): [string, Stash][] => {
    const [, id, message = ''] = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) [^\t]*(?:\t(.*))?$/.exec(line) ?? [];
    return id === undefined ? [] : [[id, { id, message }]];
  });
  return new Map(found);
}

const maxBytes = 4 * 1024 * 1024;

function show(name: string): string {
  return escapeHarnessTags(visibleLine(name, 300));
}
