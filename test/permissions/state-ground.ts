import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallWorkspace } from '../../src/places/types.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { type Case, judge } from './cases.ts';

export const canary = 'CANARY-7f3a';

/** A workspace in which harmless lines can be run, with things around it that none of them may touch. */
export interface Ground {
  readonly root: string;
  readonly cwd: string;
  judge(command: string, more?: Partial<Case>): ReturnType<typeof judge>;
  /** What it did that it must not do; undefined when nothing. */
  run(shell: 'bash' | 'dash', command: string): string | undefined;
}

/** `outer` is made: it must not exist. */
export function prepareGround(outer: string): Ground {
  const cwd = join(outer, 'deep/ws');
  for (const directory of ['src', 'a/b', 'test']) mkdirSync(join(cwd, directory), { recursive: true });
  const files = {
    'a.txt': 'one two\nx y\n',
    'package.json': '{}\n',
    'list.txt': '/etc/passwd\n../secret\n',
    'src/a.ts': 'one\n',
    'src/b.ts': 'two\n',
    'a/b/x': 'x\n',
    'a/x': 'x\n',
    x: 'x\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  execFileSync('git', ['init', '-q', cwd]);
  execFileSync('git', ['-C', cwd, 'add', '-A']);
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'x'];
  execFileSync('git', ['-C', cwd, ...commit]);
  // All that lies around the workspace, by every path that leads out of it.
  for (const directory of [outer, join(outer, 'deep')]) {
    for (const name of ['secret', 'x', 'a.txt', 'package.json'])
      writeFileSync(join(directory, name), `${canary}\n`);
    mkdirSync(join(directory, 'src'));
    writeFileSync(join(directory, 'src/secret'), `${canary}\n`);
  }
  symlinkSync('../secret', join(cwd, 'test/link'));
  const evil = join(outer, 'bin');
  mkdirSync(evil);
  writeFileSync(join(evil, 'evil'), `#!/bin/sh\n: > '${outer}/pwned'\n`, { mode: 0o755 });
  const before = snapshot(outer);
  return {
    root: outer,
    cwd,
    judge: prepareJudge(outer, cwd),
    run: (shell, command) => {
      const { stdout } = spawnSync(shell, ['-c', command], {
        cwd,
        env: {
          PATH: `${evil}:${process.env.PATH}`,
          HOME: join(outer, 'home'),
          PWD: cwd,
          GIT_OPTIONAL_LOCKS: '0',
        },
        encoding: 'utf8',
        timeout: 10_000,
        stdio: ['ignore', 'pipe', 'ignore'],
        maxBuffer: 1 << 20,
      });
      if (stdout.includes(canary)) return 'it read a file outside the workspace';
      if (stdout.includes('root:x:0')) return 'it read /etc/passwd';
      const after = snapshot(outer);
      return after === before ? undefined : `it changed something:\n${after}`;
    },
  };
}

/** Judges by what is there now. */
export function prepareJudge(outer: string, cwd: string): Ground['judge'] {
  const workspace: Partial<CallWorkspace> = {
    cwd,
    directories: [],
    home: join(outer, 'home/.cadre'),
    userHome: join(outer, 'home'),
    realPath: resolveRealPath,
    look: lookAtFiles([cwd]),
  };
  return (command, more = {}) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd }],
      ...more,
      workspace: { ...workspace, ...more.workspace },
    });
}

/** Every entry with its kind, size and time of change. */
function snapshot(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs } = lstatSync(join(directory, name));
      return `${name} ${mode} ${size} ${mtimeMs}`;
    })
    .join('\n');
}
