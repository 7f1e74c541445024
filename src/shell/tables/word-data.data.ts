const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Programs and builtins that take all of their words for data, whatever is computed in them. */
export const dataPrograms = split('echo true false : pwd sleep exit return cd pushd popd type umask kill');

/** The same, as long as no option is among them. */
export const helpPrograms = split('man info tldr whatis apropos whereis which');

/**
 * Programs that print none of their words: only what files hold, or nothing. What prints names that it was given (`ls`, `du`) or
 * its own words in any form (`date`, `awk`, `which`) is not one of them.
 */
export const printsNone = split(
  'cat head tail wc sort uniq cut comm cmp md5sum sha1sum sha256sum sha512sum test [ true false : cd pushd popd pwd sleep exit return chmod cp mv ln rm rmdir mkdir touch',
);

/** Programs whose output is their words, or a file as it is: what they write for a shell to run is in sight, or was there before. */
export const inSight = split(
  'echo cat head tail tee cp mv ln install chmod chown mkdir touch rm rmdir cd pushd popd pwd test [ true false : set export sleep wait exit return ' +
    'ls grep egrep fgrep sort uniq wc cmp diff git which type command read',
);

/** Options whose value is a message. */
export const messageOptions: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['gh', split('-t --title -b --body -n --notes --message -d --description -c --comment')],
  ['glab', split('-t --title -d --description -m --message')],
  ...['hg', 'jj', 'svn', 'sl'].map((name): [string, ReadonlySet<string>] => [name, split('-m --message')]),
]);

/** Their operands after `install` and the like are package names. */
export const packageManagers = split(
  'apt apt-get brew dnf yum apk zypper pip pip3 pipx npm pnpm yarn bun cargo gem go uv poetry conda',
);

export function isPackageName(text: string | undefined): boolean {
  return text !== undefined && /^[\w@][\w@./+-]*$/.test(text);
}
