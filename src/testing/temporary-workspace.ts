import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface TemporaryWorkspace extends AsyncDisposable {
  /** Absolute, symlinks resolved. */
  readonly path: string;
  file(name: string): string;
  read(name: string): Promise<string>;
  write(name: string, content: string | Uint8Array): Promise<void>;
  git(...args: string[]): Promise<string>;
  dispose(): Promise<void>;
}

export interface TemporaryWorkspaceOptions {
  /** Makes it a git repository on branch `main` with the files in one commit. */
  git?: boolean;
}

/** A directory with the given files, deleted by `dispose()` or at the end of an `await using`. */
export async function temporaryWorkspace(
  files: Record<string, string | Uint8Array> = {},
  options: TemporaryWorkspaceOptions = {},
): Promise<TemporaryWorkspace> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'cadre-workspace-')));
  const workspace = openWorkspace(path);
  for (const [name, content] of Object.entries(files)) await workspace.write(name, content);
  if (options.git) {
    await workspace.git('init', '--quiet', '--initial-branch=main');
    await workspace.git('add', '--all');
    await workspace.git('commit', '--quiet', '--allow-empty', '--message=Start');
  }
  return workspace;
}

function openWorkspace(path: string): TemporaryWorkspace {
  const file = (name: string) => join(path, name);
  const dispose = () => rm(path, { recursive: true, force: true });
  return {
    path,
    file,
    read: (name) => readFile(file(name), 'utf8'),
    async write(name, content) {
      await mkdir(dirname(file(name)), { recursive: true });
      await writeFile(file(name), content);
    },
    git: (...args) => neutralGit(path, args),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

const run = promisify(execFile);

/** The developer's git configuration and a surrounding git process must not affect a test. */
async function neutralGit(cwd: string, args: string[]): Promise<string> {
  const unset = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'].flatMap((name) => ['-u', name]);
  const set = Object.entries(neutralEnvironment).map(([name, value]) => `${name}=${value}`);
  const { stdout } = await run('env', [...unset, ...set, 'git', ...args], { cwd });
  return stdout;
}

const neutralEnvironment = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};
