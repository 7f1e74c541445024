import { join } from '../lib/files/exact-paths.ts';

/** Paths in its directory that git runs or is controlled by, whether or not they exist. */
export function gitGuarded(directory: string): string[] {
  return [
    ...guardedNames.map((name) => join(directory, name)),
    locateExcludes(directory),
    locateBranches(directory),
    locateAlternates(directory),
    join(directory, 'objects', 'info', 'http-alternates'),
  ];
}

const guardedNames: readonly string[] = [
  ...['config', 'config.worktree', 'hooks', 'info/attributes', 'commondir', 'remotes'],
  // `git instaweb --start` runs the Perl and the server configuration that it finds there.
  'gitweb',
  // Other programs that keep their configuration there: Sapling, Arcanist, lazygit, mise and Mercurial. `safe` makes a shell
  // take programs from the checkout, for those who put `.git/safe/../../bin` on their search path.
  ...['sl/config', 'sl/hgrc', 'sl/hgrc.dynamic', 'sl/sharedpath', 'arc/config'],
  ...[
    'lazygit.yml',
    'mise.toml',
    'safe',
    '.hg/hgrc',
    '.hg/hgrc-not-shared',
    '.hg/requires',
    '.hg/sharedpath',
  ],
];

export function locateExcludes(directory: string): string {
  return join(directory, 'info', 'exclude');
}

/** The old format of remotes, which git still reads: a file names where `git fetch` goes. */
export function locateBranches(directory: string): string {
  return join(directory, 'branches');
}

/** Names other repositories whose objects git takes for its own: also such as a command cannot read. */
export function locateAlternates(directory: string): string {
  return join(directory, 'objects', 'info', 'alternates');
}
