import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Layout } from './layout.ts';
import { commitAll, configure, git } from './layout-git.ts';

/** Files that git opens by itself, by a setting or by their name, which are not what they seem. */
export const openedVariants: Readonly<Record<string, (layout: Layout) => void>> = {
  /** The user's settings name a file of the repository, which is a link. */
  'opened-users': ({ base, home, workspace }) => {
    writeFileSync(join(base, 'outside', 'secret.txt'), listed('canary-outside'));
    commitAll(workspace);
    symlinkSync(join(base, 'outside', 'secret.txt'), join(workspace, '.named'));
    mkdirSync(home, { recursive: true });
    const core = '[core]\n\texcludesFile = .named\n\tattributesFile = .named\n';
    writeFileSync(join(home, '.gitconfig'), `${core}[mailmap]\n\tfile = .named\n${revisions('.named')}`);
  },
  /** So do the repository's own. */
  'opened-own': ({ base, workspace }) => {
    commitAll(workspace);
    configure(workspace, revisions(join(base, 'outside', 'secret.txt')));
  },
  'opened-refused': ({ workspace }) => {
    commitAll(workspace);
    configure(workspace, revisions('.env'));
  },
  'opened-included': ({ workspace }) => {
    writeFileSync(join(workspace, '.env'), '[user]\n\tname = canary-env\n[remote "canary-env"]\n\turl = x\n');
    commitAll(workspace);
    configure(workspace, '[include]\n\tpath = ../.env\n');
  },
  /** A name that git reads is another name of a file that is refused. */
  'opened-names': ({ workspace }) => {
    writeFileSync(join(workspace, '.env'), listed('canary-env'));
    commitAll(workspace);
    for (const name of ['.gitattributes', '.gitignore', '.mailmap']) {
      rmSync(join(workspace, name), { force: true });
      linkSync(join(workspace, '.env'), join(workspace, name));
    }
  },
  /** So is one beside files that git compares, which git itself does not keep. */
  'opened-beside': ({ workspace }) => {
    git(workspace, 'init', '-q', '-b', 'main');
    writeFileSync(join(workspace, '.git', 'info', 'exclude'), '.env\n/src/.gitattributes\n');
    writeFileSync(join(workspace, '.env'), 'x @canary-env\n');
    commitAll(workspace);
    linkSync(join(workspace, '.env'), join(workspace, 'src', '.gitattributes'));
    writeFileSync(join(workspace, 'src', 'main.ts'), 'one changed\n');
  },
};

/** Means something in each of these files. */
function listed(canary: string): string {
  return `${canary} <a@b>\n${canary}% x\n* ${canary}=${canary}\n${canary}.txt\n*.txt\n`;
}

function revisions(file: string): string {
  return `[blame]\n\tignoreRevsFile = ${file}\n[fsck]\n\tskipList = ${file}\n`;
}
