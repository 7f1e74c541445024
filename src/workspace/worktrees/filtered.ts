import { ok, type Result, usage } from '../../lib/result.ts';
import { readEverySetting } from '../git/every-setting.ts';
import { isRequired, readOwnFilters } from '../git/filters.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';
import { nameFile, nameFiles } from './words.ts';

/** The files that a filter is named for, by the checkout's own attributes. */
async function listFiltered(paths: readonly string[], git: Git): Promise<Result<Map<string, string>>> {
  const found = new Map<string, string>();
  if (paths.length === 0) return ok(found);
  const input = `${paths.join('\0')}\0`;
  const listed = await git(['check-attr', '-z', '--stdin', 'filter'], { input });
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

/** Without them a worktree would hold other content than git has, and would give other content back. */
export async function checkFilters(top: string, world: WorktreeWorld): Promise<Result<void>> {
  const held = await listHeld(top, world);
  if (!held.ok) return held;
  if (held.value.size === 0) return ok(undefined);
  const git = bindGit(world, top);
  const listed = await git(['ls-files', '-z']);
  if (!listed.ok) return listed;
  const paths = listed.value.split('\0').filter((path) => path !== '');
  const filtered = await listFiltered(paths, git);
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
  const listed = await git(['rev-list', '--objects', `${from}..${to}`]);
  if (!listed.ok) return listed;
  const objects = listed.value.split('\n').flatMap((line) => {
    const [id = '', name] = splitOnce(line);
    return name === undefined || name === '' ? [] : [{ id, name }];
  });
  const filtered = await listFiltered([...new Set(objects.map(({ name }) => name))], git);
  if (!filtered.ok) return filtered;
  if (filtered.value.size === 0) return ok(undefined);
  const held = await listHeld(path, world);
  if (!held.ok) return held;
  const plain = new Set<string>();
  for (const { id, name } of objects) {
    const filter = filtered.value.get(name);
    if (filter === undefined) continue;
    const form = forms.find(({ filters }) => filters.test(filter));
    if (form ? !(await hasForm(id, form, git)) : held.value.has(filter)) plain.add(name);
  }
  if (plain.size === 0) return ok(undefined);
  const names = [...new Set([...plain].map((name) => filtered.value.get(name) ?? ''))];
  return ok(
    `${nameFiles([...plain])} did not go through the git filter ${nameFiles(names)}, which is missing here, failed or is not trusted: ` +
      'install or unlock it, trust it with cadre trust, then add and commit the files again',
  );
}

interface StoredForm {
  filters: RegExp;
  start: string;
  /** Of what is stored, in bytes. */
  max: number;
}

/** What well-known filters store: seen in git's objects, whoever made them. */
const forms: readonly StoredForm[] = [
  { filters: /^git-crypt(?:-|$)/, start: '\0GITCRYPT\0', max: Number.POSITIVE_INFINITY },
  { filters: /^lfs$/, start: 'version https://git-lfs.github.com/spec/', max: 1024 },
];

/** An empty file stays one. What cannot be read is not known to have it. */
async function hasForm(id: string, { start, max }: StoredForm, git: Git): Promise<boolean> {
  const kind = await git(['cat-file', '--batch-check=%(objecttype) %(objectsize)'], { input: `${id}\n` });
  const [type = '', size = ''] = kind.ok ? kind.value.trim().split(' ') : [];
  if (type !== 'blob') return type !== '';
  if (Number(size) === 0) return true;
  if (Number(size) > max) return false;
  const read = await git(['cat-file', 'blob', id], { bytes: true });
  return read.ok && read.value.startsWith(start);
}

function splitOnce(line: string): [string, string | undefined] {
  const space = line.indexOf(' ');
  return space === -1 ? [line, undefined] : [line.slice(0, space), line.slice(space + 1)];
}
