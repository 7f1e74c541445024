import { execFileSync, spawn } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Layout } from './layout.ts';
import { author, commitAll, configure, git } from './layout-git.ts';

/** Adds to a layout, and says what a run has to know of it. */
type Variant = (layout: Layout) => Partial<Layout>;

/** Ways in which the files themselves are not what their names say, or are too many to look at. */
export const fileVariants: Readonly<Record<string, Variant>> = {
  'credential-links': (layout) => {
    link(layout, 'server.key', join(layout.home, '.cadre', 'keys.json'));
    link(layout, 'certs/tls.pem', join(layout.base, 'outside', 'secret.txt'));
    link(layout, 'sub/.aws', join(layout.base, 'outside'));
    link(layout, 'state', join(layout.home, '.cadre'));
    return {};
  },
  'credential-directories': ({ workspace }) => {
    for (const path of ['.ssh/known_hosts', '.ssh/config', '.aws/credentials', '.aws/x.txt', 'sub/.ssh/n.md'])
      put(join(workspace, path), 'one canary-credential\n');
    return {};
  },
  dotted: ({ workspace }) => {
    for (const path of ['.env.json', 'src/.env.yaml', 'docs/.env.txt'])
      put(join(workspace, path), 'TOKEN one canary-credential\n');
    return {};
  },
  'hard-links': ({ workspace, base }) => {
    const second = (from: string, to: string) => linkSync(from, join(workspace, to));
    second(join(workspace, '.env'), 'notes.md');
    second(join(workspace, 'secret/key.txt'), 'docs/plain.md');
    second(join(workspace, 'hidden/plain.txt'), 'docs/copy.txt');
    second(join(workspace, 'a.txt'), 'docs/harmless.txt');
    put(join(base, 'outside', 'shared.txt'), 'one\n');
    second(join(base, 'outside', 'shared.txt'), 'shared.txt');
    commitAll(workspace);
    return { sharedOutside: [join(workspace, 'shared.txt')] };
  },
  sparse: ({ workspace }) => {
    put(join(workspace, 'private', '.env'), 'TOKEN=canary-env\n');
    put(join(workspace, 'hidden', 'kept.txt'), 'one canary-hidden\n');
    commitAll(workspace);
    git(workspace, 'sparse-checkout', 'init', '--cone', '--sparse-index');
    git(workspace, 'sparse-checkout', 'set', 'src', 'docs');
    // Of what is staged git has no tree yet.
    put(join(workspace, 'src', 'staged.ts'), 'one\n');
    git(workspace, 'add', 'src/staged.ts');
    return {};
  },
  around: ({ base, workspace }) => {
    const top = join(base, 'p');
    put(join(top, 'around.txt'), 'one around\n');
    put(join(top, 'docs', 'around.md'), 'one around\n');
    put(join(top, '.env'), 'TOKEN=1\n');
    git(top, 'init', '-q', '-b', 'main');
    git(top, 'add', 'around.txt', 'docs', '.env', basename(workspace));
    git(top, ...author, 'commit', '-q', '-m', 'first');
    put(join(top, 'around.txt'), 'one around\nchanged\n');
    // What else is there is not kept, and holds the same text.
    put(join(top, '.env'), 'TOKEN=canary-outside\n');
    return { repository: top };
  },
  // Names that a pattern may become, and that programs take for options: of a search, and of files with names and patterns.
  'option-names': ({ workspace }) => {
    for (const name of ['-R', '-RL', '-r', '-c', '-v', '-s', '-d', '-f../x', '--files0-from=../x'])
      put(join(workspace, name), 'reads as an option\n');
    symlinkSync('../x', join(workspace, '[x]'));
    commitAll(workspace);
    return {};
  },
  // Beside `x`: once such a name is split, what follows the blank is a path of its own, or a pattern.
  split: ({ workspace, base, home }) => {
    put(join(home, '.bashrc'), 'canary-outside\n');
    // With links that lead out a search is asked about anyway.
    execFileSync('find', [workspace, '-type', 'l', '-delete']);
    for (const path of ['outside/secret.txt', 'home/notes.txt', 'home/no*', 'outside/a/*'])
      put(join(workspace, `x ${base}`, path), 'split\n');
    for (const path of ['x .git/hooks/post-commit', `q ${base}/ho*/.bashrc`, 'src/x ../../src/*en*'])
      put(join(workspace, path), 'split\n');
    commitAll(workspace);
    return {};
  },
  runs: ({ workspace }) => {
    for (const path of ['tools/a.sh', 'hooks.d/pre-commit', 'tools/watch/main.js'])
      put(join(workspace, path), 'x\n');
    commitAll(workspace);
    configure(
      workspace,
      `[core]\n\thooksPath = hooks.d\n\tfsmonitor = node ./tools/watch\n[alias]\n\tgo = !./tools/a.sh\n\tlong = "!./tools/long.sh ${'x'.repeat(20_000)}"\n\tre = rebase -x ./tools/re.sh\n`,
    );
    const runs = ['/tools/a.sh', '/hooks.d/', '/tools/watch/main.js', '/tools/long.sh', '/tools/re.sh'];
    return { runs };
  },
  large: (layout) => {
    const { workspace, home } = layout;
    const many = join(workspace, 'many');
    fill(many, 5100);
    symlinkSync(join(home, '.cadre', 'keys.json'), join(many, 'n4link'));
    symlinkSync(join(layout.base, 'outside'), join(many, 'n5link'));
    linkSync(join(workspace, '.env'), join(workspace, 'docs', 'notes.md'));
    for (let part = 0; part < 5; part++) fill(join(workspace, 'more', String(part)), 5000);
    symlinkSync(join(layout.base, 'outside', 'secret.txt'), join(workspace, 'more', '4', '.ignore'));
    return { fixed: ['p/ws/many', 'p/ws/more'], isCostly: true };
  },
  pipes: ({ workspace }) => {
    commitAll(workspace);
    return withPipes(workspace, ['pipe', '.ignore', '.rgignore', '.gitmodules', '.git/info/attributes']);
  },
  'pipe-index': ({ workspace }) => {
    commitAll(workspace);
    return withPipes(workspace, ['.git/index', '.gitattributes', '.gitignore', '.git/info/exclude']);
  },
};

/** Empty files, `n0`, `n1` … */
function fill(directory: string, count: number): void {
  mkdirSync(directory, { recursive: true });
  execFileSync('bash', ['-c', `eval "touch n{0..${count - 1}}"`], { cwd: directory, stdio: 'ignore' });
}

/**
 * Nothing can interrupt a judge that waits for a pipe. So a process holds each open for a while as soon as it is opened, then
 * lets go: the judge comes back, too late.
 */
function withPipes(workspace: string, names: readonly string[]): Partial<Layout> {
  const paths = names.map((name) => join(workspace, name));
  execFileSync('rm', ['-f', ...paths]);
  execFileSync('mkfifo', paths);
  const script = 'for f; do while :; do sleep "$HOLD" > "$f"; done & done; wait';
  const held = spawn('bash', ['-c', script, 'hold', ...paths], {
    ...{ stdio: 'ignore', detached: true },
    env: { PATH: '/usr/bin:/bin', HOLD: String(heldSeconds) },
  });
  held.unref();
  return { isOnlyJudged: true, end: () => held.pid !== undefined && process.kill(-held.pid, 'SIGKILL') };
}

/** A judgement that takes so long has waited for a pipe. */
export const heldSeconds = 4;

function link({ workspace }: Layout, path: string, target: string): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  symlinkSync(target, join(workspace, path));
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
