import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Layout } from './layout.ts';
import { commitAll } from './layout-git.ts';

/**
 * Files that programs open by themselves, without a word of the line: what a search skips, and settings of a library. Here
 * they are other files than their names say, each in another place.
 */
export const ignoredVariants: Readonly<Record<string, (layout: Layout) => void>> = {
  'ignore-links': ({ workspace, base }) => {
    commitAll(workspace);
    symlinkSync(join(base, 'outside', 'secret.txt'), join(workspace, '.ignore'));
    symlinkSync(join(base, 'outside', 'secret.txt'), join(workspace, 'ldaprc'));
  },
  'ignore-around': ({ workspace, base }) => {
    commitAll(workspace);
    symlinkSync(join(base, 'outside', 'secret.txt'), join(base, 'p', '.ignore'));
  },
  'ignore-git': ({ workspace, base, home }) => {
    commitAll(workspace);
    // A relative name in the user's settings is a file of whatever repository git is in.
    put(join(home, '.gitconfig'), '[core]\n\texcludesFile = docs/skipped\n');
    symlinkSync(join(home, '.cadre', 'keys.json'), join(workspace, 'docs', 'skipped'));
    put(join(workspace, 'a', '.git'), `gitdir: ${join(workspace, 'meta')}\n`);
    put(join(workspace, 'meta', 'commondir'), '../store\n');
    mkdirSync(join(workspace, 'store', 'info'), { recursive: true });
    symlinkSync(join(base, 'outside', 'secret.txt'), join(workspace, 'store', 'info', 'exclude'));
  },
  'ignore-back': ({ workspace }) => {
    commitAll(workspace);
    put(join(workspace, '.ignore'), 'dist\n!.{env,x}\n');
    put(join(workspace, 'docs', '.env'), 'TOKEN=canary-env\n');
    put(join(workspace, 'docs', '.rgignore'), '!/.en[v] \n');
  },
  'ignore-same': ({ workspace }) => {
    commitAll(workspace);
    linkSync(join(workspace, '.env'), join(workspace, '.rgignore'));
    symlinkSync('../hidden/plain.txt', join(workspace, 'docs', '.ignore'));
  },
};

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
