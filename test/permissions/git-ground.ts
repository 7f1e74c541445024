import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

export interface GitGround {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  put(name: string, text?: string): void;
  /** What a real shell prints for a command, on both of its outputs. */
  run(command: string, variables?: Readonly<Record<string, string>>): string;
  /** The behaviours for the lead and for Explore. */
  judge(command: string, rules?: Pick<Case, 'deny' | 'allow'>): string;
}

/** A repository with one commit of these files. */
export function openGitGround(files: Readonly<Record<string, string>>, format = 'sha1'): GitGround {
  const root = join(resolveRealPath(temporaryDirectory().path), 'repo');
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...person };
  const put = (name: string, text = 'text\n') => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const run: GitGround['run'] = (command, variables = {}) => {
    const end = spawnSync('bash', ['--norc', '-c', command], {
      cwd: root,
      env: { ...env, ...variables },
      encoding: 'utf8',
    });
    return end.stdout + end.stderr;
  };
  for (const [name, text] of Object.entries(files)) put(name, text);
  run(`git init -q -b main --object-format=${format} && git add . && git commit -qm first`);
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  return {
    ...{ root, env, put, run },
    judge: (command, rules = {}) => {
      const one: Case = { accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...rules };
      return `${judge(one).behaviour} ${judge({ ...one, role: exploreRole }).behaviour}`;
    },
  };
}

const person = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'a'],
    [`GIT_${who}_EMAIL`, 'a@b'],
  ]),
);

/** Every line is judged to behave so. */
export function expectJudged(
  ground: { judge(line: string): string },
  lines: readonly string[],
  behaviours: string,
): void {
  for (const line of lines) expect([line, ground.judge(line)]).toEqual([line, behaviours]);
}
