import type { Maker } from './maker.ts';
import { plainDirectory } from './words.ts';

/** A search that begins elsewhere than in the directory it runs in: above it, beside it, or at a full path. */
export function climbingSearch(make: Maker): string {
  const directory = make.pick(['src', 'docs', 'a', 'a/b', 'src/deep', 'empty', 'linkin']);
  const start = make.among(`
      .. ¦ ../ ¦ ../. ¦ ./.. ¦ ../.. ¦ ../src ¦ ../src/.. ¦ "$PWD"/.. ¦ "$OLDPWD" ¦ ~- ¦ ../l* ¦ ../a .. ¦ .. . ¦ ../linkout ¦ ../linkin/.. ¦ $d ¦ "$d" ¦ .`);
  const test = make.among(`
      -type l ¦ -type f ¦ -maxdepth 1 ¦ -name linkfile ¦ -maxdepth 1 -name linkfile ¦ -name 'link*' ¦ -name .env ¦ -name '*.txt' ¦ -name linkout ¦
      ! -type d ¦ -size -9 ¦ -iname LINKFILE ¦ -not -path '*/.git/*' ¦ -maxdepth 0 ¦ -name up`);
  const before = make.chance(20) ? `d=${make.pick(['..', '../..', '../src'])}; ` : '';
  const then = make.pick(['&&', '&&', '&&', ';']);
  make.mark(`climbing:${start}`);
  return `${before}cd ${make.chance(80) ? directory : plainDirectory(make)} ${then} ${handOver(make, `find ${start} ${test}`)}`;
}

function handOver(make: Maker, search: string): string {
  const reader = make.among(`
      cat ¦ head -1 ¦ wc -l ¦ grep -rh o ¦ sed -n p ¦ ls -R ¦ sort ¦ diff a.txt ¦ sed -i s/o/0/ ¦ touch ¦ cp -t . ¦ rm -f ¦ tee`);
  return make.choose('climbing', {
    each: () => `${search} -exec ${reader} {} \\;`,
    together: () => `${search} -exec ${reader} {} +`,
    beside: () => `${search} -execdir ${reader} {} \\;`,
    several: () => `${search} -exec ${reader} {} \\; -exec cat {} +`,
    piped: () => `${search} | xargs ${reader}`,
    zero: () => `${search} -print0 | xargs -0 ${reader}`,
    loop: () => `for f in $(${search}); do ${reader} $f; done`,
    lines: () => `${search} | while read -r f; do ${reader} "$f"; done`,
    words: () => `${reader} $(${search})`,
  });
}
