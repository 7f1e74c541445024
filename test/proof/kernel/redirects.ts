import type { Maker } from './maker.ts';

/** Every kind of redirection, from or to every kind of target. */
export function redirection(make: Maker): string {
  const operator = make.pick(operators);
  const kind = make.pick(Object.keys(targets));
  make.mark(`redirect-operator:${operator}`);
  make.mark(`redirect-target:${kind}`);
  return `${descriptor(make, operator)}${operator} ${make.among(targets[kind] ?? '')}`;
}

const operators = ['<', '>', '>>', '>|', '<>', '<>', '&>', '&>>', '>&', '<&', '<<<'] as const;

function descriptor(make: Maker, operator: string): string {
  if (operator.startsWith('&') || make.chance(65)) return '';
  return make.pick(['0', '1', '2', '3', '9', '{x}']);
}

const targets: Readonly<Record<string, string>> = {
  plain: 'a.txt ¦ b.txt ¦ ./a.txt ¦ src/main.ts ¦ "a.txt"',
  new: "new ¦ pwn ¦ src/new ¦ 'n w' ¦ nope/new",
  refused:
    '.env ¦ src/.env ¦ secret/key.txt ¦ hidden/plain.txt ¦ linkenv ¦ id_rsa ¦ ./.env ¦ kept/inner/file.txt',
  outside: '../x ¦ linkfile ¦ linkout/secret.txt ¦ src/up/x ¦ ~/notes.txt ¦ /etc/hostname ¦ ../pwn',
  protected: '.git/config ¦ .npmrc ¦ .husky/x ¦ pkg/.git/config ¦ .vscode/x',
  device: '/dev/null ¦ /dev/tty ¦ /dev/stdin ¦ /dev/stderr ¦ /dev/fd/1 ¦ /dev/zero ¦ /dev/full',
  socket:
    '/dev/tcp/127.0.0.1/1 ¦ /dev/udp/127.0.0.1/9 ¦ "/dev/tcp/localhost/9" ¦ $d/dev/tcp/127.0.0.1/1 ¦ /dev/{tcp,x}/127.0.0.1/1 ¦ /inet/tcp/0/127.0.0.1/1',
  computed:
    '$x ¦ "$f" ¦ $d/new ¦ $(echo a.txt) ¦ "$(echo .env)" ¦ *.txt ¦ {a,b} ¦ ~+/a.txt ¦ .e* ¦ $PWD/a.txt',
  number: '1 ¦ 2 ¦ 0 ¦ - ¦ 3 ¦ 1- ¦ 5',
  odd: "$'odd/o\\xff' ¦ odd/?? ¦ odd/k.zip ¦ 'glob[1].txt' ¦ -n ¦ ./-n",
};
