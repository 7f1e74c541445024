import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listRecords } from '../../src/workspace/worktrees/record.ts';

export const actions = ['create', 'leave', 'dirty', 'drop', 'land'] as const;
/** `land many`: so many files that a kill meets them half way. */
export type Action = (typeof actions)[number] | 'land many';

const many = 3000;

const script = {
  worktree: join(import.meta.dirname, '../workspace/worktree.script.ts'),
  land: join(import.meta.dirname, '../landing/land.script.ts'),
};
const program = join(import.meta.dirname, '../../dist/cadre');

/** A repository with a home of its own, in which a process can be killed. */
export interface Scene {
  /** Runs it until it ends or is killed: at a step, or so many milliseconds after its start or what it said. */
  run(action: Action, stop: string, killAfterMs?: number): Promise<{ output: string; killed: boolean }>;
  /** Starts the program as a user would, with a model that says hello. */
  startAgain(provider: string): Promise<number | null>;
  /** What is not as it should be after that. */
  faults(action: Action): string[];
  clear(): void;
}

export async function openScene(action: Action): Promise<Scene> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  const [work, home] = [join(top, 'work'), join(top, 'home')];
  mkdirSync(work);
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, env, encoding: 'utf8' });
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = T\n\temail = t@example.invalid\n');
  git('init', '-q', '-b', 'main');
  const count = action === 'land many' ? many : 40;
  for (let index = 0; index < count; index++) writeFileSync(join(work, `f${index}.txt`), `${index}\n`);
  git('add', '--all');
  git('commit', '-qm', 'Start');
  const start = (kind: 'worktree' | 'land', args: string[], killAfterMs?: number) =>
    ended(process.execPath, [script[kind], ...args], { cwd: top, env }, killAfterMs);
  if (action === 'land' || action === 'land many')
    for (const name of ['one', 'two']) {
      await start('worktree', ['create', work, home, name]);
      writeFileSync(join(work, '.cadre/worktrees', name, `${name}.txt`), `${name}\n`);
    }
  if (action === 'land many')
    for (let index = 0; index < many; index++)
      writeFileSync(join(work, '.cadre/worktrees/one', `f${index}.txt`), `new ${index}\n`);
  return {
    run: (_, stop, killAfterMs) =>
      action === 'land'
        ? start('land', [work, home, stop, 'true'], killAfterMs)
        : action === 'land many'
          ? ended(
              process.execPath,
              [script.land, work, home, 'tell'],
              { cwd: top, env },
              killAfterMs,
              'locked',
            )
          : start('worktree', [action, work, home, 'one', stop], killAfterMs),
    async startAgain(provider) {
      const more = { CADRE_HOME: home, SHELL: '/bin/sh', ANTHROPIC_BASE_URL: provider };
      const { code } = await ended(program, ['-p', 'Hello'], { cwd: work, env: { ...env, ...more } });
      return code;
    },
    faults: () => [
      ...disagreements(work, home, git),
      ...(action === 'land' || action === 'land many'
        ? landingFaults(work, git)
        : treeFaults(action, work, home)),
      ...(existsSync(join(work, '.git/cadre-landing.lock')) ? ['the lock on landing is left'] : []),
      ...leftIn(join(work, '.git/cadre-landing')),
      ...leftIn(join(home, 'landing')),
      ...doctorFaults(work, { ...env, CADRE_HOME: home }),
    ],
    clear: () => rmSync(top, { recursive: true, force: true }),
  };
}

function leftIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).map((name) => `${directory}/${name} is left`) : [];
}

/** Git, our records and the disk must name the same worktrees, none of them locked, and every branch of ours one of them. */
function disagreements(work: string, home: string, git: (...args: string[]) => string): string[] {
  const listed = git('worktree', 'list', '--porcelain');
  const place = join(work, '.cadre/worktrees');
  const byGit = [...listed.matchAll(/^worktree (.+)$/gm)].map(([, path = '']) => path).slice(1);
  const byUs = listRecords(home).map(({ path }) => path);
  const onDisk = existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : [];
  const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads/cadre')
    .split('\n')
    .slice(0, -1);
  const same = (one: string[], other: string[]) => one.sort().join('\n') === other.sort().join('\n');
  return [
    ...(same(byGit, byUs) ? [] : [`git knows [${byGit}], we know [${byUs}]`]),
    ...(same(onDisk, byUs) ? [] : [`on disk are [${onDisk}], we know [${byUs}]`]),
    ...(branches.length === byUs.length ? [] : [`branches are [${branches}], we know [${byUs}]`]),
    ...(/^locked/m.test(listed) ? ['a worktree is still locked'] : []),
    ...(git('status', '--porcelain') === ''
      ? []
      : [`the checkout is not clean: ${git('status', '--porcelain')}`]),
    ...(existsSync(join(work, '.git/index.lock')) ? ['the index is locked'] : []),
    ...(existsSync(join(work, '.git/MERGE_HEAD')) ? ['a merge is half done'] : []),
  ];
}

/** Work stays unless somebody wanted it dropped; what holds none is gone. */
function treeFaults(action: Action, work: string, home: string): string[] {
  const tree = join(work, '.cadre/worktrees/one');
  const hasWork = existsSync(join(tree, 'new.txt'));
  if (existsSync(join(home, 'dropping'))) return [];
  if (existsSync(join(home, 'worked'))) return hasWork ? [] : ['work was lost'];
  return existsSync(tree) && !hasWork ? [`a clean worktree is left after ${action}`] : [];
}

/** Both are landed or none is, and what is not landed is where it was. */
function landingFaults(work: string, git: (...args: string[]) => string): string[] {
  const commits = git('log', '--format=%s', 'main').trim().split('\n').length - 1;
  const names = ['one', 'two'];
  const inMain = names.filter((name) => existsSync(join(work, `${name}.txt`)));
  const inTrees = names.filter((name) => existsSync(join(work, '.cadre/worktrees', name, `${name}.txt`)));
  return [
    ...([0, 2].includes(commits) && inMain.length === commits
      ? []
      : [`${commits} commits are landed, and ${inMain.length} files`]),
    ...names
      .filter((name) => !inMain.includes(name) && !inTrees.includes(name))
      .map((name) => `the work of ${name} was lost`),
  ];
}

function doctorFaults(cwd: string, env: Record<string, string>): string[] {
  let said = '';
  try {
    said = execFileSync(program, ['doctor'], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    said = String((error as { stdout?: string }).stdout ?? '');
  }
  const line = said.split('\n').find((one) => one.includes('worktrees')) ?? 'nothing';
  return /left behind|does not know|no record|cut off|nothing/.test(line)
    ? [`doctor says: ${line.trim()}`]
    : [];
}

function ended(
  file: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
  killAfterMs?: number,
  /** What it must have said before the time runs. */
  since = '',
): Promise<{ output: string; killed: boolean; code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    let timer: ReturnType<typeof setTimeout> | undefined;
    let output = '';
    const wait = () => {
      if (killAfterMs === undefined || timer !== undefined || !output.includes(since)) return;
      timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    };
    wait();
    child.stdout.on('data', (chunk) => {
      output += chunk;
      wait();
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve({ output: output.trim(), killed: signal === 'SIGKILL', code });
    });
  });
}
