import type { Maker } from './maker.ts';

/** Parts that change names, and parts that meet what became of them, in an order that hides which is which. */
export function changing(make: Maker): string {
  const change = () => make.choose('change', changes);
  const meeting = () => make.choose('meet', meetings);
  const enter = make.chance(45) ? `cd ${make.pick(['a/b', 'src/deep', 'a', 'docs'])} && ` : '';
  const parts = make.several(1, 3, change);
  const lines = [...parts, meeting()];
  if (make.chance(10)) lines.reverse();
  return make.choose('changing', {
    chain: (m) => enter + lines.join(m.pick([' && ', ' && ', '; '])),
    loop: () => `${enter}for i in 1 2; do ${meeting()}; ${parts.join('; ')}; done`,
    background: () => `${enter}{ ${meeting()} & ${parts.join('; ')}; wait; }`,
    pipe: () => `${enter}${parts.join(' && ')} | ${meeting()}`,
    subshell: () => `${enter}( ${parts.join('; ')} ) && ${meeting()}`,
    nested: () => `${enter}bash -c "${lines.join('; ')}"`,
    substitution: () => `${enter}echo "$(${parts.join('; ')})" && ${meeting()}`,
  });
}

const changes: Readonly<Record<string, (make: Maker) => string>> = {
  move: (make) =>
    `mv ${make.among('../b ¦ ../deep ¦ ../../a ¦ a/b ¦ a ¦ src/deep ¦ turn ¦ docs ¦ . ¦ ../a')} ${make.among('../../c ¦ ../c ¦ c ¦ ../docs/c ¦ docs/c ¦ empty ¦ ../../c/d')}`,
  remove: (make) =>
    `rm ${make.pick(['', '-f', '-rf'])} ${make.among('turn ¦ ../turn ¦ src/deep ¦ a/b ¦ turnread ¦ linkin ¦ x')}`,
  replace: (make) =>
    `rm ${make.pick(['turn', 'linkin', 'turnread'])} && mkdir ${make.pick(['turn', 'linkin'])}`,
  make: (make) => `mkdir -p ${make.among("turn ¦ 'a /etc' ¦ c ¦ ../c ¦ a/b/c/d ¦ 'q ..'")}`,
  touch: (make) => `touch ${make.among("'a /etc/hostname' ¦ 'a ..' ¦ 'q ../x' ¦ new ¦ src/new.ts ¦ ./-rf")}`,
  pour: (make) => `echo x > ${make.among("'a ../x' ¦ new.txt ¦ turn/new ¦ 'b ~'")}`,
  copy: (make) =>
    `cp ${make.pick(['', '-r', '-a'])} ${make.among('a.txt ¦ src ¦ docs ¦ turn ¦ x')} ${make.among("c ¦ 'a ..' ¦ docs ¦ turn ¦ ../c")}`,
};

const meetings: Readonly<Record<string, (make: Maker) => string>> = {
  up: (make) =>
    `cat ${make.among('../x ¦ ../../x ¦ ../../a.txt ¦ ../../../x ¦ turn/../x ¦ turn/../../a.txt ¦ src/../x')}`,
  link: (make) =>
    `cat ${make.pick(['turnread', '../turnread', '../../turnread', 'linkin/main.ts', 'turn*', 'turn/x.txt'])}`,
  write: (make) => `echo x > ${make.among('turnwrite ¦ ../../pwn ¦ ../pwn ¦ turn/../pwn ¦ ../../turnwrite')}`,
  search: (make) =>
    make.among(`
      cat $(find . -type f) ¦ find . -type f | xargs cat ¦ find . -name '*.txt' -exec cat {} + ¦ grep -R one . ¦
      for f in $(find docs -type f); do cat $f; done ¦ rg --files | xargs cat ¦ git ls-files | xargs cat ¦
      find -L . -name x ¦ find docs | xargs wc -l ¦ cat c/* ¦ ls -LR docs`),
  git: (make) => `git ${make.pick(['status', '-C .. status', '-C ../.. diff', '-C c log', 'diff'])}`,
  plain: (make) => make.among('cat a.txt ¦ ls ¦ cat c/x ¦ ls c ¦ cat src/main.ts ¦ wc -l x'),
  enter: (make) =>
    `cd ${make.pick(['..', '../..', 'turn', 'c', 'turn/..'])} && cat ${make.pick(['x', '../x', 'a.txt'])}`,
};
