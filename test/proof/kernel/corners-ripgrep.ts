import type { Corner } from './corners.ts';

const types = 'json yaml all config ts txt sh py =json'.split(' ');
const typed = types.flatMap((type) => [
  `rg -t ${type} TOKEN`,
  `rg -t${type} TOKEN src`,
  `rg --type=${type} -T py TOKEN .`,
  `rg -g '!docs' -t ${type} TOKEN`,
  `rg -t ${type} -g '*.md' TOKEN`,
]);

/** Patterns that ripgrep reads otherwise than a shell would: they may be none at all, or for another name. */
const globs = [
  ...[
    '',
    ' ',
    '#x',
    '#',
    '.env ',
    '.env\t',
    '=.env',
    '.en[v]',
    '[.]env',
    '.e*',
    '*.txt ',
    'key.txt ',
    '=*.txt',
  ],
  ...['!', '!x', '=!x', '! ', '!.env', '!*.txt', '/.env', '{.env,x}', '**', 'plain.txt ', '*'],
];
const patterned = globs.flatMap((glob) =>
  [
    ...[
      `rg -g '${glob}' TOKEN`,
      `rg -g'${glob}' one`,
      `rg --glob='${glob}' one .`,
      `rg --iglob '${glob}' one`,
    ],
    ...[
      `rg --hidden -g '!x' -g '${glob}' TOKEN`,
      `rg --files -g '${glob}' | xargs cat`,
      `rg -g '${glob}' -g x one`,
    ],
  ].filter((line) => !line.includes("-g''")),
);

/** The last of several patterns counts for git's data as well. */
const ordered = ['x', '[a-z]', '*.txt', '[0-9a-f]*'].flatMap((name) => [
  `rg -a --hidden -g '!.git' -g '.git' -g '${name}' one`,
  `rg -ag '.git' -g '${name}' -g '!.git' one`,
  `rg -ag '!.git' -g '?git' -g '${name}' one`,
]);

/** What ripgrep takes by its types and patterns. */
export const ripgrepCorners: readonly Corner[] = [
  {
    layout: 'dotted',
    rules: ['none', 'one-file'],
    postures: ['Explore', 'default'],
    lines: typed.join(' ¦ '),
  },
  {
    layout: 'plain',
    rules: ['one-file', 'files', 'directory'],
    postures: ['Explore', 'default', 'bypass'],
    lines: patterned.join(' ¦ '),
  },
  { layout: 'stashed', rules: ['one-file', 'directory'], postures: ['default'], lines: ordered.join(' ¦ ') },
  {
    layout: 'ignore-back',
    rules: ['none', 'one-file'],
    postures: ['Explore', 'default', 'bypass'],
    lines:
      'rg TOKEN ¦ rg TOKEN docs ¦ rg -t txt TOKEN ¦ cd docs && rg TOKEN ¦ rg --files | xargs cat ¦ rg -l TOKEN | xargs cat ¦ rg TOKEN src ¦ fd . docs | xargs cat',
  },
];
