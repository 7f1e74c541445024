import type { Random } from '../proof/random.ts';

/** A line in parts, so that it can be said in another way that means the same. */
export interface Plain {
  /** With `@` where its path goes. */
  readonly form: string;
  /** Below the workspace. */
  readonly path: string;
}

export const fileForms: readonly string[] = [
  ...[
    'cat @',
    'head -1 @',
    'grep one @',
    'wc -l @',
    'sort a.txt @',
    'cat < @',
    'diff a.txt @',
    'sed -n 1p @',
  ],
  ...[
    'cp @ new',
    'rm @',
    'mv @ new',
    'echo x > @',
    'sed -i s/o/0/ @',
    'touch @',
    'cp a.txt @',
    'tee @ < a.txt',
  ],
];

export const directoryForms: readonly string[] = [
  ...[
    'grep -r one @',
    'grep -R one @',
    'find @ -type f -exec cat {} +',
    'rg one @',
    'ls -a @',
    'diff -r @ docs',
  ],
  ...[
    'find @ -type f | xargs cat',
    'cat $(find @ -type f)',
    'rm -r @',
    'mv @ new',
    'cp -r @ new',
    'find @ -delete',
  ],
];

export const files: readonly string[] = [
  ...['a.txt', 'src/main.ts', '.env', 'src/.env', 'secret/key.txt', 'hidden/plain.txt', 'hidden/deep/x.md'],
  ...[
    'linkfile',
    'linkenv',
    'linkout/secret.txt',
    'id_rsa',
    'server.key',
    '.ssh/known_hosts',
    'sub/.ssh/n.md',
  ],
  ...['notes.md', 'docs/plain.md', 'docs/copy.txt', 'shared.txt', 'kept/inner/file.txt', 'pkg/.git/config'],
  ...['state/keys.json', 'certs/tls.pem', 'ci/.husky/pre-commit', '.npmrc', 'src/up/x', 'a/away/secret.txt'],
];

export const directories: readonly string[] = [
  ...['src', 'docs', 'hidden', 'hidden/deep', 'secret', 'linkout', 'linkin', 'kept', 'pkg', 'app', 'ci', 'a'],
  ...['certs', 'sub', 'state', '.ssh', '.aws', 'a/away', 'src/up', 'odd'],
];

export const harmlessParts: readonly string[] = ['true', ':', 'echo hi', 'pwd', 'cat b.txt', 'ls docs'];

export function say({ form, path }: Plain): string {
  return form.replace('@', () => path);
}

/** Other ways to say the same; none of them may be judged more loosely. */
export function sayOtherwise({ form, path }: Plain, workspace: string, random: Random): string[] {
  const at = path.lastIndexOf('/');
  const [above, name] = at < 0 ? ['.', path] : [path.slice(0, at), path.slice(at + 1)];
  const harmless = harmlessParts[random.below(harmlessParts.length)] ?? ':';
  const line = say({ form, path });
  const spelled = [
    ...[`./${path}`, `${workspace}/${path}`, `'${path}'`, `"${path}"`, `\\${path}`, `./././${path}`],
    ...[`docs/../${path}`, `"$PWD"/${path}`, `${path.slice(0, 1)}''${path.slice(1)}`, `$'${path}'`],
    ...[`{${path},${path}}`, `${path.slice(0, 1)}{${path.slice(1)},${path.slice(1)}}`, `~+/${path}`],
  ];
  return [
    ...spelled.map((word) => say({ form, path: word })),
    ...[`${harmless}; ${line}`, `${line}; ${harmless}`, `${harmless} && ${line}`, `${line} && ${harmless}`],
    ...[`{ ${line}; }`, `( ${line} )`, `if true; then ${line}; fi`, `${line}\n${harmless}`],
    `for f in ${path}; do ${say({ form, path: '"$f"' })}; done`,
    `f=${path}; ${say({ form, path: '"$f"' })}`,
    // Another file that the form names is elsewhere then.
    ...(/a\.txt|docs|new/.test(form) ? [] : [`cd ${above} && ${say({ form, path: name })}`]),
  ];
}

/** Words of a loop, some of which find files. */
export const loopWords: readonly string[] = [
  ...[
    "$(find . -name '*.md')",
    '$(find . -name .env)',
    "$(find hidden -name '*.txt')",
    '$(find src -type f)',
  ],
  ...[
    "$(rg --files -g '*.txt')",
    '$(git ls-files)',
    '*.txt',
    'src/*',
    'hidden/*',
    '.env',
    'a.txt',
    'linkfile',
  ],
  ...["$(find . -name 'known*')", 'docs/*', '.e*', '*/*.md', '$(grep -rl one src)', 'server.key'],
];

/** Searches by a name, with the words of `find` for the same files. */
export const searches: readonly string[] = [
  'find @ -name P -exec cat {} +',
  'find @ -name P | xargs cat',
  'cat $(find @ -name P)',
  'grep -r --include=P one @',
  'for f in $(find @ -name P); do cat "$f"; done',
  "find @ -type f -name P -exec grep one {} ';'",
];

export const namePatterns: readonly string[] = [
  ...["'*.txt'", "'*.md'", '.env', "'*'", 'known_hosts', "'k*'", 'plain.txt', "'.*'", "'*.key'", "'?*.*'"],
];
