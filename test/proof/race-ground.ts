import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What nobody may read, as it would be found in any result. */
export const secret = 'SECRET-7f3a';
export const secretName = 'private-name';

export interface RaceGround {
  workspace: string;
  outside: string;
  /** The attacker has ended, or was never started. */
  isOver(): boolean;
  /** What is not as it was outside the workspace; empty where all is. */
  damage(): string;
  end(): void;
}

/** `mounting`: mounts what is outside over the workspace, in a name space of its own, where the system lets it. */
export type Attacker = 'confined' | 'same user' | 'mounting';

const notebook = (text: string) =>
  JSON.stringify({
    ...{ nbformat: 4, nbformat_minor: 5, metadata: {} },
    cells: [{ cell_type: 'markdown', id: 'one', metadata: {}, source: [text] }],
  });

/** One set of files inside and one outside, of the same names: only their content tells them apart. */
function fill(directory: string, text: string): void {
  const skill = join(directory, 'skills', 'tell');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(directory, 'a.txt'), `needle ${text}\n`);
  writeFileSync(join(directory, 'n.ipynb'), notebook(text));
  writeFileSync(join(directory, 'note.md'), `${text}\n`);
  writeFileSync(join(skill, 'SKILL.md'), `---\nname: tell\ndescription: ${text}\n---\n\n${text}\n`);
}

/**
 * A workspace in which another process exchanges a file, and a directory, with links to what is outside, and a file with a
 * second name of one outside. The confined one has a file system of its own in which nothing outside can be seen.
 */
export function raceGround(attacker: Attacker): RaceGround {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-race-')));
  const [workspace, outside] = [join(base, 'work'), join(base, 'outside')];
  const swapped = join(workspace, '.swapped');
  for (const directory of [outside, swapped, join(workspace, 'd')]) mkdirSync(directory, { recursive: true });
  fill(outside, secret);
  writeFileSync(join(outside, `${secretName}.txt`), `needle ${secret}\n`);
  fill(join(workspace, 'd'), 'public');
  writeFileSync(join(workspace, 'f.txt'), 'needle public\n');
  writeFileSync(join(workspace, 'h.txt'), 'needle public\n');
  writeFileSync(join(workspace, 'CLAUDE.md'), 'Read this: @f.md and @d/note.md\n');
  writeFileSync(join(workspace, 'f.md'), 'public\n');
  mkdirSync(join(workspace, '.claude'));
  symlinkSync(join(outside, 'a.txt'), join(swapped, 'f'));
  symlinkSync(join(outside, 'note.md'), join(swapped, 'm'));
  symlinkSync(outside, join(swapped, 'd'));
  symlinkSync('../d/skills', join(workspace, '.claude', 'skills'));
  // What only changes hands when it is written, so that it says nothing when it is read.
  const linked = join(base, 'linked');
  writeFileSync(linked, 'needle public\n');
  linkSync(linked, join(swapped, 'h'));
  const before = stateOf(base, outside);
  const pairs = ['f.txt', 'd', 'f.md', 'h.txt'].flatMap((name, index) => [
    join(workspace, name),
    join(swapped, ['f', 'd', 'm', 'h'][index] ?? ''),
  ]);
  const mounts = [join(workspace, 'd'), outside, join(workspace, 'f.txt'), join(outside, 'a.txt')];
  const child = startSwapper(attacker, base, workspace, attacker === 'mounting' ? mounts : pairs);
  return {
    ...{ workspace, outside },
    isOver: () => child.exitCode !== null || child.pid === undefined,
    damage() {
      const now = stateOf(base, outside);
      return now === before ? '' : `${before}\n\n${now}`;
    },
    end() {
      child.kill('SIGKILL');
      rmSync(base, { recursive: true, force: true });
    },
  };
}

function startSwapper(
  attacker: Attacker,
  base: string,
  workspace: string,
  pairs: readonly string[],
): ChildProcess {
  const script = [process.execPath, join(import.meta.dirname, 'race-swapper.ts')];
  const walls = [
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
  ];
  const own = ['--tmpfs', base, '--bind', workspace, workspace, '--chdir', '/'];
  const command: Record<Attacker, string[]> = {
    confined: ['bwrap', ...walls, ...own, ...script, ...pairs],
    'same user': [...script, ...pairs],
    mounting: ['unshare', '-Urm', ...script, '--mount', join(workspace, mounted), ...pairs],
  };
  const [file = '', ...args] = command[attacker];
  const child = spawn(file, args, { stdio: 'ignore', cwd: '/' });
  child.on('error', () => {});
  return child;
}

const mounted = '.mounted';

/** Waits until the first exchange was seen: before that there is no race. */
export async function untilSwapping({ workspace, isOver }: RaceGround): Promise<boolean> {
  for (let look = 0; look < 2000 && !isOver(); look++) {
    if (isLink(join(workspace, 'd')) || existsSync(join(workspace, mounted))) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

function isLink(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Names, contents, owners and modes. */
function stateOf(base: string, outside: string): string {
  const names = readdirSync(outside, { recursive: true, encoding: 'utf8' }).sort();
  const files = [...names.map((name) => join(outside, name)), join(base, 'linked')];
  const lines = files.map((path) => {
    const { mode, uid, gid, size } = statSync(path);
    const text = statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
    return `${path} ${mode} ${uid} ${gid} ${text === '' ? '' : size} ${text}`;
  });
  return lines.join('\n');
}
