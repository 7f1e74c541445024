const split = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Programs and builtins that take all of their words for data, whatever is computed in them. */
export const dataPrograms = split('echo true false : pwd sleep exit return cd pushd popd type umask kill');

/** The same, as long as no option is among them. */
export const helpPrograms = split('man info tldr whatis apropos whereis which');

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
