import type { Clock } from '../../lib/clock.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import type { Result } from '../../lib/result.ts';
import { git } from '../../workspace/git/git.ts';
import { type CandidateIndex, indexCandidates } from './rank.ts';

export interface FileListOptions {
  cwd: string;
  env: Record<string, string>;
  clock: Clock;
  ripgrep: () => Promise<Result<string>>;
  signal?: AbortSignal;
  most?: number;
}

export interface FileLister {
  /** Paths below the directory; directories end with a slash. Empty if nothing can be listed. `again` lists them once more. */
  files(again?: boolean): Promise<CandidateIndex>;
}

const maxFiles = 100_000;
const timeoutMs = 10_000;

/** The files that `@` offers: those git knows, or else those ripgrep does not ignore. */
export function listFiles(options: FileListOptions): FileLister {
  let current: Promise<CandidateIndex> | undefined;
  let isListing = false;
  const list = async (): Promise<CandidateIndex> => {
    isListing = true;
    try {
      return indexCandidates(withDirectories(await listPaths(options)));
    } finally {
      isListing = false;
    }
  };
  return {
    files(again = false) {
      // A directory that takes long to list is not listed twice at once.
      if (!current || (again && !isListing)) current = list();
      return current;
    },
  };
}

async function listPaths(options: FileListOptions): Promise<string[]> {
  const { cwd, env, clock, signal, most = maxFiles } = options;
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await git(args, { cwd, env, clock, timeoutMs, ...(signal ? { signal } : {}) });
  const names = listed.ok ? listed.value.split('\0') : await listWithRipgrep(options);
  return [...new Set(names)].filter(isUsable).slice(0, most);
}

async function listWithRipgrep(options: FileListOptions): Promise<string[]> {
  const { cwd, clock, signal, most = maxFiles } = options;
  const program = await options.ripgrep();
  if (!program.ok) return [];
  const names: string[] = [];
  let carry = '';
  const child = spawnOwned({
    file: program.value,
    args: ['--no-config', '--files', '--null', '--hidden', '--color=never', '--glob=!.git'],
    cwd,
    // No configuration of ripgrep applies, and it runs no other program.
    env: {},
    owner: 'cadre/files',
    clock,
    timeoutMs,
    ...(signal ? { signal } : {}),
    output: (chunk) => {
      const parts = (carry + Buffer.from(chunk).toString('utf8')).split('\0');
      carry = (parts.pop() ?? '').slice(0, 10_000);
      for (const part of parts) names.push(part);
      if (names.length > most) child.kill();
    },
    errorOutput: () => {},
  });
  await child.ended;
  return names.map((name) => name.replace(/^\.\//, ''));
}

/** A name with a line break or an escape in it is not one to type. */
function isUsable(name: string): boolean {
  return name !== '' && name.length < 1000 && !/[\p{Cc}\u2028\u2029\ufffd"]/u.test(name);
}

function withDirectories(files: readonly string[]): string[] {
  const directories = new Set<string>();
  for (const file of files)
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const directory = file.slice(0, at + 1);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  return [...files, ...directories];
}
