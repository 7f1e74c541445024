import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { RewindReport } from '../../src/rewind/report.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { call, say } from '../../src/testing/index.ts';
import { mustHave } from '../store/build.ts';
import { describeTree } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

/** On a busy machine a look at the files takes longer than a session waits for it. */
const patientClock: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms < 1000 ? ms : ms * 30, callback),
};

export const anything: SessionOptions = { permissionMode: 'bypassPermissions', clock: patientClock };

export interface Ground extends Place {
  file(name: string): string;
  write(name: string, text: string, mode?: number): void;
  git(...args: string[]): string;
  /** All but git's own directory: what each path is, with its permissions. */
  tree(): Record<string, string>;
}

/** A directory to work in, in no repository. */
export function plainGround(at: Place = place()): Ground {
  for (const path of [at.cwd, at.environment.HOME ?? '']) mkdirSync(path, { recursive: true });
  const file = (name: string) => join(at.cwd, name);
  return {
    ...at,
    file,
    write(name, text, mode) {
      mkdirSync(dirname(file(name)), { recursive: true });
      writeFileSync(file(name), text);
      if (mode !== undefined) chmodSync(file(name), mode);
    },
    git: (...args) => runGit(at.cwd, args),
    tree: () => filesOf(at.cwd),
  };
}

export function runGit(cwd: string, args: readonly string[]): string {
  const identity = [
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.invalid',
    '-c',
    'init.defaultBranch=main',
  ];
  const ended = spawnSync('git', [...identity, '-c', 'protocol.file.allow=always', ...args], { cwd });
  if (ended.status !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.toString();
}

/** A repository with files that are committed, changed, staged and new, a link, and one that is ignored. */
export function repository(): Ground {
  const ground = plainGround();
  for (const name of ['a.txt', 'b.txt', 'deep/er/c.txt', 'staged.txt'])
    ground.write(`src/${name}`, `first of ${name}\n`);
  ground.write('src/run.sh', '#!/bin/sh\n', 0o755);
  ground.write('README.md', 'read me\n');
  ground.write('.gitignore', 'ignored/\n*.log\n');
  symlinkSync('a.txt', ground.file('src/link'));
  ground.git('init', '-q');
  ground.git('add', '-A');
  ground.git('commit', '-qm', 'Start');
  ground.write('src/b.txt', 'changed by me\n');
  ground.write('src/staged.txt', 'staged by me\n');
  ground.git('add', 'src/staged.txt');
  ground.write('src/new.txt', 'new, by me\n', 0o640);
  ground.write('src/binary', Buffer.from([0, 255, 1, 254]).toString('latin1'));
  return ground;
}

/** Directories come and go with what is in them. */
function filesOf(top: string): Record<string, string> {
  const all = describeTree(top, (name) => basename(name) === '.git');
  return Object.fromEntries(Object.entries(all).filter(([, what]) => !what.endsWith(' directory')));
}

export interface Ran {
  session: Session;
  /** What the model saw of its commands: says more than a tree in which nothing has changed. */
  seen(): unknown;
  /** Text of the prompts. */
  to(text: string): Promise<string>;
  rewind(text: string, more?: { force?: boolean }): Promise<RewindReport>;
  prompt(text: string): Promise<unknown>;
}

/** Each command is one prompt of its own: `one`, `two` and so on by its own text. */
export async function runCommands(
  ground: Ground,
  commands: readonly string[],
  options: SessionOptions = {},
): Promise<Ran> {
  const turns = commands.flatMap((command) => [call('Bash', { command }), say('Done.')]);
  const { session, prompt, model } = await open(ground, turns, { ...anything, ...options });
  for (const command of commands) await prompt(command);
  return { ...rewinder(session, prompt), seen: () => model.requests.at(-1)?.messages.at(-1) };
}

export function rewinder(session: Session, prompt: (text: string) => Promise<unknown>): Omit<Ran, 'seen'> {
  const to = async (text: string) => {
    const point = mustHave(await session.checkpoints()).find((one) => one.text === text);
    if (!point) throw new Error(`no prompt ${text}`);
    return point.uuid;
  };
  return {
    session,
    to,
    prompt,
    rewind: async (text, more = {}) =>
      mustHave(await session.rewind({ to: await to(text), what: 'files', ...more })),
  };
}
