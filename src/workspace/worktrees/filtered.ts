import { join } from 'node:path';
import { ok, type Result, usage } from '../../lib/result.ts';
import { readEverySetting } from '../git/every-setting.ts';
import { isRequired, readOwnFilters } from '../git/filters.ts';
import { withOwnDirectory } from '../own-directory.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';
import { nameFile, nameFiles } from './words.ts';

/** The files that a filter is named for: by the attributes in the checkout's files, or by those in an index. */
export async function listFiltered(
  paths: readonly string[],
  git: Git,
  indexFile?: string,
): Promise<Result<Map<string, string>>> {
  const found = new Map<string, string>();
  if (paths.length === 0) return ok(found);
  const input = `${paths.join('\0')}\0`;
  const listed =
    indexFile === undefined
      ? await git(['check-attr', '-z', '--stdin', 'filter'], { input })
      : await git(['check-attr', '--cached', '-z', '--stdin', 'filter'], { input, indexFile });
  if (!listed.ok) return listed;
  const fields = listed.value.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (!['unspecified', 'unset', 'set'].includes(value)) found.set(path, value);
  }
  return ok(found);
}

/** Filters that must succeed and that the user has not trusted. */
async function listHeld(cwd: string, world: WorktreeWorld): Promise<Result<Set<string>>> {
  const { trustsFilter } = world;
  const every = readEverySetting({ cwd, env: world.env });
  const filters = await readOwnFilters(bindGit(world, cwd), every);
  if (!filters.ok) return filters;
  const held = filters.value.filter((filter) => isRequired(filter) && !trustsFilter?.(filter, cwd));
  return ok(new Set(held.map(({ name }) => name)));
}

/** Without them a worktree at this commit would hold other content than git has, and would give other content back. */
export async function checkFilters(
  { top, commit }: { top: string; commit: string },
  world: WorktreeWorld,
): Promise<Result<void>> {
  const held = await listHeld(top, world);
  if (!held.ok) return held;
  if (held.value.size === 0) return ok(undefined);
  const git = bindGit(world, top);
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]);
  if (!listed.ok) return listed;
  const paths = listed.value.split('\0').filter((path) => path !== '');
  const filtered = await listFilteredAt(commit, paths, git, world);
  if (!filtered.ok) return filtered;
  const [first] = [...filtered.value].filter(([, name]) => held.value.has(name));
  if (!first) return ok(undefined);
  const [path, name] = first;
  return usage(
    `${nameFile(path)} needs the git filter ${nameFile(name)}, whose programs are named by the repository's configuration, which is not trusted.`,
    'cadre trust shows them and asks.',
  );
}

/**
 * Why work cannot land whose commits, from one to another, hold files that a filter was to change and did not: in plain text
 * where they are kept encrypted, whole where they are kept elsewhere.
 */
export async function explainUnfiltered(
  { path, from, to }: { path: string; from: string; to: string },
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  const git = bindGit(world, path);
  const stored = await listStored(from, to, git);
  if (!stored.ok) return stored;
  const paths = [...new Set(stored.value.map(({ name }) => name))];
  const changing = await listAttributeCommits(from, to, git);
  if (!changing.ok) return changing;
  if (changing.value.length > maxAttributeCommits)
    return ok(
      `${changing.value.length} of its commits change .gitattributes, and no more than ${maxAttributeCommits} are checked for files that a filter was to change: squash them (git rebase --interactive)`,
    );
  const filtered = await listEverFiltered(paths, [from, ...changing.value], git, world);
  if (!filtered.ok) return filtered;
  if (filtered.value.size === 0) return ok(undefined);
  const held = await listHeld(path, world);
  if (!held.ok) return held;
  const plain = new Set<string>();
  const foreign = new Set<string>();
  for (const { id, name } of stored.value)
    for (const filter of filtered.value.get(name) ?? []) {
      const form = forms.find(({ filters }) => filters.test(filter));
      const found = form
        ? await compareForm(id, name, form, from, git)
        : held.value.has(filter)
          ? 'plain'
          : 'good';
      if (found === 'plain') plain.add(name);
      if (found === 'foreign') foreign.add(name);
    }
  const names = [...new Set([...plain].flatMap((name) => [...(filtered.value.get(name) ?? [])]))];
  if (plain.size > 0)
    return ok(
      `${nameFiles([...plain])} did not go through the git filter ${nameFiles(names)}, which is missing here, failed, is not trusted, was taken away by this work, or is new on the branch: ` +
        'install or unlock it, trust it with cadre trust, set .gitattributes back or merge the branch, then add the files again (git add --renormalize) and commit them. ' +
        'If they are no longer to be filtered, change .gitattributes in the branch yourself first',
    );
  if (foreign.size === 0) return ok(undefined);
  return ok(
    `${nameFiles([...foreign])} begins like an encrypted file, but its content was not made by git-crypt here, so it may be readable: ` +
      'unlock the repository (git-crypt unlock), trust the filter with cadre trust, set the file back and change it again',
  );
}

/** Each is read as a whole, which takes a moment in a large repository. */
const maxAttributeCommits = 100;

/**
 * The filters of each file by the checkout and by commits (the one that the work began from, and all that change attributes): work
 * that takes a filter away, even in a file that git does not keep, does not take its files out of it.
 */
async function listEverFiltered(
  paths: readonly string[],
  commits: readonly string[],
  git: Git,
  world: WorktreeWorld,
): Promise<Result<Map<string, Set<string>>>> {
  const found = new Map<string, Set<string>>();
  const now = await listFiltered(paths, git);
  if (!now.ok) return now;
  const states = [now.value];
  for (const commit of commits) {
    const then = await listFilteredAt(commit, paths, git, world);
    if (!then.ok) return then;
    states.push(then.value);
  }
  for (const [path, filter] of states.flatMap((state) => [...state]))
    found.set(path, (found.get(path) ?? new Set()).add(filter));
  return ok(found);
}

/** The files that a filter is named for by the attributes in a commit. */
export function listFilteredAt(
  commit: string,
  paths: readonly string[],
  git: Git,
  { home }: WorktreeWorld,
): Promise<Result<Map<string, string>>> {
  return withOwnDirectory(home, async (own) => {
    const indexFile = join(own, 'index');
    const read = await git(['read-tree', commit], { indexFile });
    return read.ok ? listFiltered(paths, git, indexFile) : read;
  });
}

async function listAttributeCommits(from: string, to: string, git: Git): Promise<Result<string[]>> {
  const commits = await git(['rev-list', `${from}..${to}`]);
  if (!commits.ok) return commits;
  const flags = ['--stdin', '-r', '-m', '--root', '--no-renames', '--name-only'];
  const listed = await git(['diff-tree', ...flags, '--', ':(top,glob)**/.gitattributes'], {
    input: commits.value,
  });
  if (!listed.ok) return listed;
  const ids = listed.value.split('\n').flatMap((line) => /^[0-9a-f]{40,64}$/.exec(line) ?? []);
  return ok([...new Set(ids)]);
}

/** The files that each commit stores, under every name. */
async function listStored(
  from: string,
  to: string,
  git: Git,
): Promise<Result<{ id: string; name: string }[]>> {
  const commits = await git(['rev-list', `${from}..${to}`]);
  if (!commits.ok) return commits;
  const flags = ['-r', '-m', '--root', '--raw', '-z', '--no-renames', '--no-abbrev', '--no-commit-id'];
  const listed = await git(['diff-tree', '--stdin', ...flags], { input: commits.value });
  if (!listed.ok) return listed;
  const fields = listed.value.split('\0');
  const stored = new Map<string, { id: string; name: string }>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , id = ''] = (fields[at] ?? '').split(' ');
    const name = fields[at + 1] ?? '';
    if (mode !== '000000' && mode !== '160000' && isUsable(name)) stored.set(`${id} ${name}`, { id, name });
  }
  return ok([...stored.values()]);
}

/** Git has no attributes for other names, and no work that has one lands. */
function isUsable(name: string): boolean {
  return name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

interface StoredForm {
  filters: RegExp;
  /** What the stored bytes begin with, or are as a whole. */
  pattern: RegExp;
  /** Of what is stored, in bytes. */
  max: number;
  /** Whether the same content is always stored as the same bytes, so that the filter itself can tell whether they are its own. */
  isExact: boolean;
}

/** What well-known filters store: seen in git's objects, whoever made them. */
const forms: readonly StoredForm[] = [
  {
    filters: /^git-crypt(?:-|$)/,
    pattern: /^\0GITCRYPT\0/,
    max: Number.POSITIVE_INFINITY,
    isExact: true,
  },
  {
    filters: /^lfs$/,
    pattern:
      /^version https:\/\/[^\s]+\/spec\/v1\n(?:ext-\d-[^\s]+ sha256:[0-9a-f]{64}\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?$/,
    max: 1024,
    isExact: false,
  },
];

/** An empty file stays one. What cannot be read is not known to have the form. `foreign`: the filter did not make it. */
async function compareForm(
  id: string,
  name: string,
  form: StoredForm,
  from: string,
  git: Git,
): Promise<'good' | 'plain' | 'foreign'> {
  const size = await git(['cat-file', '-s', id]);
  if (!size.ok) return 'plain';
  if (Number(size.value) === 0) return 'good';
  if (Number(size.value) > form.max) return 'plain';
  const read = await git(['cat-file', 'blob', id], { bytes: true });
  if (!read.ok || !form.pattern.test(read.value)) return 'plain';
  if (!form.isExact || (await wasThere(id, name, from, git))) return 'good';
  return (await isMadeByFilter(id, name, form, git)) ? 'good' : 'foreign';
}

/** Renamed, copied or set back: it is in the history that the work began from. */
async function wasThere(id: string, name: string, from: string, git: Git): Promise<boolean> {
  const now = await git(['ls-tree', '-r', '-z', '--object-only', from]);
  if (now.ok && now.value.split('\0').includes(id)) return true;
  const past = await git(['rev-list', '--objects', from, '--', name]);
  return past.ok && past.value.split('\n').some((line) => line.startsWith(id));
}

/** Whether the filter opens it, and makes the same bytes of what it finds there. */
async function isMadeByFilter(id: string, name: string, { pattern }: StoredForm, git: Git): Promise<boolean> {
  const opened = await git(['cat-file', '--filters', `--path=${name}`, id], { bytes: true });
  if (!opened.ok || pattern.test(opened.value)) return false;
  const closed = await git(['hash-object', '--stdin', `--path=${name}`], {
    input: opened.value,
    bytes: true,
  });
  return closed.ok && closed.value.trim() === id;
}
