import type { Maker } from './maker.ts';

/** Parts that change names, and parts that meet what became of them. */
export function changing(make: Maker): string {
  const [name, makeFamily] = make.pick(Object.entries(families));
  make.mark(`change:${name}`);
  const family = makeFamily(make);
  const changes = make.chance(25) ? [family.change, bystander(make)] : [family.change];
  if (make.chance(30)) changes.reverse();
  return family.enter + arranged(make, changes, family.meeting);
}

interface Family {
  readonly enter: string;
  readonly change: string;
  readonly meeting: string;
}

const families: Readonly<Record<string, (make: Maker) => Family>> = {
  /** The directory that the shell is in. */
  directory: (make) => {
    const [at, name] = make.pick([
      ['a/b', 'b'],
      ['src/deep', 'deep'],
    ] as const);
    const change = `mv ${make.pick([`../${name}`, `../../${at}`])} ${make.among('../../c ¦ ../../c ¦ ../c ¦ ../../docs/c ¦ ../../empty')}`;
    return { enter: `cd ${at} && `, change, meeting: make.choose('meet-up', upward) };
  },
  /** A name on the way of a link. */
  way: (make) => ({
    enter: '',
    change: make.among(`
      rm turn && mkdir turn ¦ rm turn && mkdir -p turn/x ¦ rm -f turn; mkdir turn ¦ rm -rf src/deep ¦ rm turn && cp -r docs turn ¦
      rm turn && mv docs turn ¦ rm -rf turn src/deep && mkdir turn ¦ rm src/../turn && mkdir turn ¦ rm x ¦ mkdir -p c`),
    meeting: make.choose('meet-link', linked),
  }),
  /** Names that a search finds. */
  names: (make) => ({
    enter: '',
    change: make.among(`
      mkdir -p 'a /etc' && touch 'a /etc/hostname' ¦ touch 'docs/q ..' ¦ mkdir -p 'docs/q ..' && touch 'docs/q ../x' ¦
      mkdir -p 'docs/q /etc' && echo x > 'docs/q /etc/hostname' ¦ mkdir -p 'docs/q /etc' && cp a.txt 'docs/q /etc/hostname' ¦
      mkdir -p 'docs/q /etc' && echo x | tee 'docs/q /etc/hostname' ¦ touch docs/new ¦ cp -r src docs/new ¦ mv x docs/x`),
    meeting: make.choose('meet-search', searching),
  }),
};

function bystander(make: Maker): string {
  return make.among('touch new ¦ mkdir -p c ¦ rm -f b.txt ¦ echo x > new.txt ¦ true ¦ cp a.txt c.txt ¦ ls');
}

function arranged(make: Maker, changes: readonly string[], meeting: string): string {
  return make.choose('changing', {
    chain: (m) => [...changes, meeting].join(m.pick([' && ', ' && ', '; '])),
    chain2: () => [...changes, meeting].join(' && '),
    loop: () => `for i in 1 2; do ${meeting}; ${changes.join('; ')}; done`,
    subshell: () => `( ${changes.join('; ')} ) && ${meeting}`,
    nested: () => `bash -c "${[...changes, meeting].join('; ')}"`,
    substitution: () => `echo "$(${changes.join('; ')})" && ${meeting}`,
    branch: () => `if ${changes.join(' && ')}; then ${meeting}; fi`,
    background: () => `{ ${changes.join('; ')}; } & wait; ${meeting}`,
    pipe: () => `${changes.join(' && ')} | cat; ${meeting}`,
  });
}

const upward: Readonly<Record<string, (make: Maker) => string>> = {
  read: (make) => `cat ${make.among('../../x ¦ ../../a.txt ¦ ../x ¦ x ¦ ../../src/main.ts')}`,
  list: (make) => `ls ${make.pick(['../..', '..', '../../src', '.'])}`,
  write: (make) => `echo x > ${make.among('../../pwn ¦ ../pwn ¦ pwn')}`,
  enter: (make) =>
    `cd ${make.pick(['..', '../..', '../../src'])} && cat ${make.pick(['x', '../x', 'main.ts'])}`,
  git: (make) => `git ${make.pick(['status', '-C ../.. status', '-C ../../pkg diff'])}`,
  plain: (make) => make.among('echo done ¦ pwd ¦ true'),
};

const linked: Readonly<Record<string, (make: Maker) => string>> = {
  read: (make) => `${make.pick(['cat', 'head -1', 'wc -l', 'cat <'])} turnread`,
  pattern: (make) => `cat ${make.pick(['turnr*', 'turn?ead'])}`,
  write: (make) => `echo x ${make.pick(['>', '>>'])} turnwrite`,
  copy: () => 'cp turnread copied',
  search: (make) =>
    make.pick(['grep -R one .', "find . -name 'turnr*' | xargs cat", 'find . -name turnread -exec cat {} +']),
  plain: (make) => make.among('cat a.txt ¦ ls turn ¦ cat linkin/main.ts ¦ git status'),
};

const searching: Readonly<Record<string, (make: Maker) => string>> = {
  words: (make) => `${make.pick(['cat', 'head -1', 'wc -l'])} $(find docs -type f)`,
  all: (make) => make.pick(['cat $(find . -type f -name hostname)', 'find . -name hostname | xargs cat']),
  xargs: (make) =>
    `${make.pick(['find docs', 'find docs -type f', 'rg --files docs'])} | xargs ${make.pick(['cat', 'wc -l', 'ls'])}`,
  loop: () => 'for f in $(find docs -type f); do cat $f; done',
  held: () => 'f=$(find docs -type f); cat $f',
  lines: () => 'find docs -type f | while read -r f; do cat "$f"; done',
  each: () => 'find docs -type f -exec cat {} +',
  pattern: (make) => `cat ${make.pick(['docs/*', 'docs/*/*'])}`,
  plain: (make) => make.among('grep -rn one docs ¦ ls docs ¦ cat docs/readme.md'),
};
