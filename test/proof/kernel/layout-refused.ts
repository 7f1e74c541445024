import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layout } from './layout.ts';
import { attributes, author, commitAll, configure, dirty, git, hostile } from './layout-git.ts';

/**
 * Files that rules refuse, as a repository may have them: changed, staged, removed, stashed, in a merge, on another branch, in a
 * commit without a name, in a note. What git shows of each is another command's output.
 */
export const refusedVariants: Readonly<Record<string, (layout: Layout) => void>> = {
  changed: ({ workspace }) => {
    commitAll(workspace);
    change(workspace);
  },
  staged: ({ workspace }) => {
    commitAll(workspace);
    change(workspace);
    git(workspace, 'add', '-A');
  },
  deleted: ({ workspace }) => {
    commitAll(workspace);
    for (const path of refused) rmSync(join(workspace, path));
  },
  stashed: ({ workspace }) => {
    withoutRefused(workspace);
    git(workspace, 'add', '-f', ...refused);
    git(workspace, ...author, 'stash', 'push', '-q', '--', ...refused);
  },
  elsewhere: ({ workspace }) => {
    withoutRefused(workspace);
    git(workspace, 'checkout', '-q', '-b', 'other');
    git(workspace, 'add', '-f', ...refused);
    git(workspace, ...author, 'commit', '-q', '-m', 'on the other branch');
    git(workspace, 'tag', 'kept');
    git(workspace, 'checkout', '-q', 'main');
  },
  nameless: ({ workspace }) => {
    withoutRefused(workspace);
    git(workspace, 'hash-object', '-w', '.env');
    const make = (args: string[], input: string) =>
      execFileSync('git', args, { cwd: workspace, input, env: { PATH: process.env.PATH } });
    make(['mktree'], `100644 blob ${environmentBlob}\t.env\n`);
    make(['hash-object', '-w', '-t', 'commit', '--stdin'], namelessText);
    git(workspace, 'update-ref', '--no-deref', 'FETCH_HEAD', namelessCommit);
  },
  /** A tag is called like the short id of a commit, and leads to a file. */
  misnamed: ({ workspace }) => {
    withoutRefused(workspace);
    git(workspace, 'hash-object', '-w', '.env');
    const short = git(workspace, 'rev-parse', '--short', 'HEAD').trim();
    git(workspace, 'update-ref', `refs/tags/${short}`, environmentBlob);
  },
  loose: ({ workspace }) => {
    withoutRefused(workspace);
    // Not even named there: only a search that looks beside what git keeps meets them.
    writeFileSync(join(workspace, '.git', 'info', 'exclude'), '');
  },
  /** Directories behind links: what is refused lies beside where they lead, by names that exist beside the links too. */
  behind: ({ workspace }) => {
    symlinkSync('src/deep', join(workspace, 'near'));
    symlinkSync('src/more', join(workspace, 'in'));
    for (const directory of ['more', 'src/more']) mkdirSync(join(workspace, directory));
    writeFileSync(join(workspace, 'more', 'x.txt'), 'one\n');
    writeFileSync(join(workspace, 'src/more', '.env'), 'TOKEN=canary-env one\n');
    withoutRefused(workspace);
    appendFileSync(join(workspace, 'src/more', '.env'), 'MORE=canary-env one\n');
  },
  /** A link leads into a repository of its own, which keeps what the one around the link never had. */
  led: ({ workspace }) => {
    withoutRefused(workspace);
    appendFileSync(join(workspace, '.git', 'info', 'exclude'), '/part\n/nested\n');
    symlinkSync('nested/lib', join(workspace, 'part'));
    mkdirSync(join(workspace, 'nested/lib'), { recursive: true });
    writeFileSync(join(workspace, 'nested/lib/a.txt'), 'one\n');
    writeFileSync(join(workspace, 'nested/.env'), 'TOKEN=canary-env one\n');
    commitAll(join(workspace, 'nested'));
    appendFileSync(join(workspace, 'nested/.env'), 'MORE=canary-env one\n');
  },
  noted: ({ workspace }) => {
    withoutRefused(workspace);
    git(workspace, ...author, 'notes', 'add', '-F', '.env', 'HEAD');
    git(workspace, ...author, 'notes', '--ref=more', 'add', '-F', '.env', 'HEAD');
  },
  merging: ({ workspace }) => {
    commitAll(workspace);
    git(workspace, 'checkout', '-q', '-b', 'other');
    change(workspace, 'theirs');
    git(workspace, ...author, 'commit', '-q', '-a', '-m', 'theirs');
    git(workspace, 'checkout', '-q', 'main');
    change(workspace, 'ours');
    git(workspace, ...author, 'commit', '-q', '-a', '-m', 'ours');
    try {
      git(workspace, ...author, 'merge', '-q', 'other');
    } catch {
      // That is the conflict.
    }
  },
  absorbed: ({ workspace }) => {
    const inner = join(workspace, 'sub');
    mkdirSync(inner);
    writeFileSync(join(inner, 'x.txt'), 'sub\n');
    writeFileSync(join(inner, '.env'), 'TOKEN=canary-env\n');
    commitAll(inner);
    writeFileSync(join(workspace, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
    commitAll(workspace);
    configure(workspace, '[submodule "sub"]\n\turl = ./sub\n\tactive = true\n');
    git(workspace, 'submodule', 'absorbgitdirs');
    const kept = join(workspace, '.git', 'modules', 'sub');
    appendFileSync(join(kept, 'config'), hostile);
    mkdirSync(join(kept, 'info'), { recursive: true });
    writeFileSync(join(kept, 'info', 'attributes'), attributes);
    dirty(inner);
    appendFileSync(join(inner, '.env'), 'MORE=canary-env\n');
  },
};

const refused = ['.env', 'src/.env', 'secret/key.txt', 'hidden/plain.txt', 'hidden/deep/x.md', 'id_rsa'];

/** The name that git has for the text of `.env`: the same wherever it is kept. */
export const environmentBlob = '649461aca5ab5db536aeca3003054077e17aeff7';

/** A commit that nothing leads to, with that file alone. */
const namelessText =
  'tree 2a6415c76a8714dffb7de2f6de85974a389a3cb3\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nnameless\n';
export const namelessCommit = '60ba0a01732584da801c5d3dc8c4740ba34f090e';

function change(workspace: string, by = 'more'): void {
  for (const path of refused) {
    const text = path.endsWith('.env')
      ? 'canary-env'
      : path.startsWith('hidden')
        ? 'canary-hidden'
        : 'canary-secret';
    appendFileSync(join(workspace, path), `${by} ${text}\n`);
  }
  appendFileSync(join(workspace, 'a.txt'), `${by}\n`);
}

/** A history in which none of them ever was. */
function withoutRefused(workspace: string): void {
  git(workspace, 'init', '-q', '-b', 'main');
  writeFileSync(join(workspace, '.git', 'info', 'exclude'), refused.map((path) => `/${path}\n`).join(''));
  commitAll(workspace);
}
