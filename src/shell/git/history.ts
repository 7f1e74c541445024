import type { Look } from '../../places/look.ts';
import type { ObjectKind } from '../../workspace/git/objects.ts';
import type { ShellWord } from '../grammar/types.ts';
import type { GitLook } from '../programs/effect.ts';
import type { ReadArguments } from '../programs/flags.ts';

/** Whether a git subcommand reads commits, and not only the index and the files of the checkout. */
export function readsHistory(name: string, { operands, flags, separator }: ReadArguments): boolean {
  const named = operands.slice(name === 'grep' && !flags.has('-e') ? 1 : 0, separator).length > 0;
  switch (name) {
    case 'diff':
      return named || flags.has('--cached') || flags.has('--staged') || flags.has('--merge-base');
    case 'grep':
      return named;
    case 'blame':
    case 'annotate':
    case 'diff-files':
    case 'ls-files':
    case 'rev-parse':
      return false;
    default:
      return true;
  }
}

/**
 * All files of the past, where a git command may show some of them or their names; a string says why they are unknown. Git
 * keeps everything that was ever committed, on any branch, whatever became of the file.
 */
export function findPast(git: GitLook, place: string, look: Look): readonly string[] | string {
  if (git.showsNotes && look.hasNotes(place))
    return 'notes may be objects of any name; --no-notes leaves them out';
  if (!git.history || (git.shows === 'nothing' && !git.opensObjects)) return [];
  const revisions = listRevisions(git);
  const other = findOther(revisions, place, look);
  if (other !== undefined) return other;
  if (git.shows === 'nothing') return [];
  const past = look.past(place);
  if (!past) return 'the files in the history are unknown; name the intended paths after --';
  const loose = revisions
    .filter((text) => !isHead.test(text))
    .find((text) => !isOnRecord(text, past.commits));
  if (loose !== undefined) return `${loose} may be an object of any name`;
  return past.paths;
}

/** Whether a command shows only commit objects, and so no file. */
export function printsCommits(git: GitLook, place: string, look: Look): boolean {
  const texts = git.words.flatMap(({ values }) => values?.map(({ text }) => text) ?? [undefined]);
  if (!git.printsObjects || texts.length === 0) return false;
  const names = texts.filter((text) => text !== undefined && !text.includes(':'));
  if (names.length < texts.length) return false;
  return look.objectKinds(place, names as string[])?.every((kind) => kind === 'commit') === true;
}

/** Why one of these, or the head that is implied without them, may be anything but a commit. */
function findOther(revisions: readonly string[], place: string, look: Look): string | undefined {
  const names = [...new Set(['HEAD', ...revisions.flatMap(splitRevisionNames)])];
  const kinds = look.objectKinds(place, names);
  if (!kinds) return 'the targets of its revisions are unknown';
  const other = names.find((name, index) => mayBeOther(name, kinds[index]));
  return other === undefined ? undefined : `${other} may be an object of any name`;
}

/** Whether a name may lead to anything but a commit: also the beginning of an id that several objects share. */
export function mayBeOther(name: string, kind: ObjectKind | undefined): boolean {
  return kind === undefined ? /^[0-9a-f]{4,}$/i.test(name) : kind !== 'commit';
}

/** `a..b`, `^a`, `a^!` and similar forms name several. */
function splitRevisionNames(text: string): string[] {
  const ends = text.replace(/^\^/, '').replace(/\^(?:@|!|-\d*)$/, '');
  return [text, ends, ...ends.split(/\.{2,3}/)].filter((name) => name !== '' && !/[\0\n]/.test(name));
}

const isHead = /^(?:HEAD|@)?(?:[~^]\d*)*$/;

/** After the colon comes a path in that revision. */
function listRevisions({ words, within = [] }: GitLook): string[] {
  const texts = (word: ShellWord) => word.values?.map(({ text }) => text) ?? [];
  const named = words.filter((word) => !within.includes(word)).flatMap(texts);
  return named.map((text) => (text.startsWith(':') ? '' : text.replace(/:.*$/s, '')));
}

/**
 * Ids must be those of commits that a branch, a tag or a reflog leads to: others may be files, or commits that were never
 * checked. The same goes for what git records beside its references, as in `FETCH_HEAD`.
 */
function isOnRecord(text: string, commits: ReadonlySet<string>): boolean {
  if (/\b(?:\w*_HEAD|AUTO_MERGE|MERGE_AUTOSTASH|NOTES_MERGE\w*|BISECT_\w+)\b/i.test(text)) return false;
  const names = text
    .replace(/\{[^}]*\}|[~^]\d+/g, '')
    .split(/\.\.+|[~^@]+/)
    .flatMap((name) => [name, /-g([0-9a-f]+)$/i.exec(name)?.[1] ?? '']);
  const ids = names.filter((name) => /^[0-9a-f]{4,64}$/i.test(name)).map((id) => id.toLowerCase());
  return ids.every((id) => commits.has(id) || [...commits].some((commit) => commit.startsWith(id)));
}
