import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { neutralGitVariables } from '../../src/workspace/git/shell.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { judge, shell } from './cases.ts';
import { optionLines } from './option-lines.ts';
import { type Trace, traceLines } from './trace-lines.ts';

const traced = needs('strace');

/** Programs that others are made of, and why one may start another. */
const helpers: Readonly<Record<string, RegExp>> = {
  egrep: /^grep$/, // a script around grep
  fgrep: /^grep$/,
  zcat: /^gzip$/, // a script around gzip
  gunzip: /^gzip$/,
  tar: /^(?:gzip|bzip2|xz|sh)$/, // unpacks by these
  yq: /^(?:python3?[\d.]*|jq|pyenv.*|bash|head|readlink|sort|cut|env)$/, // one of the two programs of this name
  which: /^sh$/,
  git: /^git$/,
};

traced(
  'G9 every option that is known to change nothing writes nothing, starts nothing and opens nothing outside',
  async () => {
    const { path } = temporaryDirectory();
    const workspace = join(path, 'workspace');
    fillWorkspace(workspace);
    const lines = optionLines().filter((line) => judge({ accesses: [shell(line)] }).behaviour === 'allow');
    expect(lines.length).toBeGreaterThan(700);
    const env = { PATH: process.env.PATH ?? '', HOME: join(path, 'home'), LC_ALL: 'C.UTF-8' };
    const variables = await neutralGitVariables([workspace], { env });
    const traces = traceLines(lines, calls, { cwd: workspace, path, env: { ...env, ...variables } });
    expect(traces.length).toBe(lines.length);
    expect(traces.flatMap((one) => one.calls.flatMap((call) => faultOf(call, one, workspace)))).toEqual([]);
    // A line that never got to its program would prove nothing.
    const started = traces.filter(({ calls }) => calls.some((call) => /execve\(.*= 0$/.test(call)));
    expect(started.length).toBeGreaterThan(500);
  },
  120_000,
);

function fillWorkspace(workspace: string): void {
  mkdirSync(join(workspace, '..', 'home'), { recursive: true });
  writeFileSync(join(workspace, '..', 'secret'), 'secret\n');
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\n');
  writeFileSync(join(workspace, 'b.txt'), 'one\nthree\n');
  writeFileSync(join(workspace, 'a.json'), '{"a":1}\n');
  const make =
    'git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x && echo more >> a.txt && ' +
    'gzip -k a.json && gzip -k b.txt && tar -czf a.tgz a.txt && touch -d 2020-01-01 b.txt && git tag v1';
  spawnSync('bash', ['-c', make], { cwd: workspace, stdio: 'pipe' });
}

const calls =
  'execve,open,openat,creat,connect,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,truncate,link,linkat,symlink,symlinkat,chmod,fchmodat';

function faultOf(call: string, { line }: Trace, workspace: string): string[] {
  const name = line.split(' ')[0] ?? '';
  const fault = [`${line}: ${call}`];
  if (/ = -1 |^(?:\+\+\+|---|chdir|<\.\.\.)/.test(call) || call === '') return [];
  if (call.startsWith('execve(')) {
    const program = /execve\("([^"]*)"/.exec(call)?.[1]?.split('/').at(-1) ?? '';
    return program === name || helpers[name]?.test(program) ? [] : fault;
  }
  if (call.startsWith('connect(')) return /AF_(?:UNIX|NETLINK)/.test(call) ? [] : fault;
  if (!/^(?:open|openat|creat)\(/.test(call)) return isIndex(line, call) ? [] : fault;
  const path = /"([^"]*)"/.exec(call)?.[1] ?? '';
  if (/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|creat/.test(call))
    return /^\/dev\/(?:null|tty|stderr|stdout)$/.test(path) || isIndex(line, call) ? [] : fault;
  if (path.endsWith('secret')) return fault;
  const isSystem = /^\/(?:usr|lib|lib64|bin|etc|proc|sys|dev|opt|var\/lib|root\/\.pyenv)(?:\/|$)/.test(path);
  const isInside =
    !path.startsWith('/') || path === '/' || path === workspace || path.startsWith(`${workspace}/`);
  // Git and ripgrep look for their own files in every directory above.
  return isSystem || isInside || /\/(?:\.git|\.gitignore|\.ignore|\.rgignore|\.fdignore|home\/.*)$/.test(path)
    ? []
    : fault;
}

/** What git saw of the files it notes in its own index. */
function isIndex(line: string, call: string): boolean {
  return line.startsWith('git describe') && line.includes('--dirty') && call.includes('.git/index');
}
