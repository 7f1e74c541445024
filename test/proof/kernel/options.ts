import type { ProgramSpec } from '../../../src/shell/programs/tool-spec.ts';
import type { Maker } from './maker.ts';
import { anyFile } from './words.ts';

/** Options of one tool: those of its table in every spelling, and near misses. */
export function optionsOf(make: Maker, tool: string, spec: ProgramSpec): string[] {
  const flags = spec.flags.split(' ').filter((flag) => flag !== '' && !flag.includes('['));
  if (flags.length === 0 && make.chance(70)) return [];
  return make.several(0, 2, () => optionOf(make, tool, flags)).flat();
}

function optionOf(make: Maker, tool: string, flags: readonly string[]): string[] {
  if (flags.length === 0 || make.chance(12)) return [foreign(make, tool)];
  const written = make.pick(flags);
  const flag = written.replace(kindSign, '');
  const takes = written === flag ? undefined : written.at(-1);
  make.mark(`option:${tool} ${flag}`);
  const text = takes === '>' ? output(make) : value(make, takes === '<');
  if (make.chance(8)) return swallowing(make, flag, flags);
  if (flag.startsWith('--')) return longForms(make, flag, takes, text);
  return shortForms(make, flag, takes, text, flags);
}

/** Whoever is wrong about which option takes the next word takes the file for a value, or a value for the file. */
function swallowing(make: Maker, flag: string, flags: readonly string[]): string[] {
  const valued = flags.filter((one) => /[:#<]$/.test(one)).map((one) => one.replace(kindSign, ''));
  if (valued.length === 0) return [flag];
  make.mark('option-form:swallowing');
  return [flag, make.pick(valued), anyFile(make)];
}

function longForms(make: Maker, flag: string, takes: string | undefined, text: string): string[] {
  switch (make.pick(['plain', 'plain', 'plain', 'equals', 'short', 'apart', 'near'])) {
    case 'equals':
      make.mark('option-form:equals');
      return [`${flag}=${text}`];
    case 'short':
      make.mark('option-form:abbreviated');
      return [flag.slice(0, 3 + make.random.below(Math.max(1, flag.length - 3)))];
    case 'apart':
      make.mark('option-form:apart');
      return [flag, text];
    case 'near':
      make.mark('option-form:near');
      return [
        make.pick([
          flag.slice(1),
          `${flag}x`,
          flag.toUpperCase(),
          flag.replace('-', '--'),
          `${flag}=`,
          `--no-${flag.slice(2)}`,
        ]),
      ];
    default:
      return takes === undefined
        ? [flag]
        : takes === '?'
          ? [make.chance(50) ? flag : `${flag}=${text}`]
          : [`${flag}=${text}`];
  }
}

function shortForms(
  make: Maker,
  flag: string,
  takes: string | undefined,
  text: string,
  flags: readonly string[],
): string[] {
  const letters = flags
    .map((one) => one.replace(kindSign, ''))
    .filter((one) => /^-\w$/.test(one))
    .map((one) => one.slice(1));
  switch (make.pick(['plain', 'plain', 'plain', 'joined', 'cluster', 'cluster', 'tail', 'near'])) {
    case 'joined':
      make.mark('option-form:joined');
      return [`${flag}${text}`];
    case 'cluster': {
      make.mark('option-form:cluster');
      const own = letters.length === 0 ? [] : make.several(1, 3, () => make.pick(letters));
      const more = make.chance(30) ? [make.pick([...'oiwefOCcRxXpP0'])] : [];
      const all = [...own, ...more];
      return [
        `-${make.chance(50) ? flag.slice(1) + all.join('') : all.join('') + flag.slice(1)}`,
        ...(make.chance(40) ? [text] : []),
      ];
    }
    case 'tail':
      make.mark('option-form:apart');
      return [flag, text];
    case 'near':
      make.mark('option-form:near');
      return [
        make.pick([
          flag.toUpperCase(),
          flag.toLowerCase(),
          `${flag}=${text}`,
          `-${flag}`,
          `+${flag.slice(1)}`,
          `${flag}-`,
        ]),
      ];
    default:
      return takes === undefined || takes === '?' ? [flag] : [flag, text];
  }
}

/** How the tables mark an option that takes a value. */
const kindSign = /[:<>?#&]$/;

/** A file that an option writes. */
function output(make: Maker): string {
  return make.among(
    'new ¦ a.txt ¦ .husky/x ¦ .npmrc ¦ kept/inner/file.txt ¦ kept/inner/x ¦ pkg/.git/config ¦ docs/.vscode/x',
  );
}

function value(make: Maker, isFile: boolean): string {
  if (isFile) return anyFile(make);
  return make.pick([
    '1',
    '2',
    'one',
    'a',
    'o',
    'pwn',
    'a.txt',
    '.',
    "''",
    './evil.sh',
    'always',
    'auto',
    'none',
    '%h',
    "','",
    '0',
    '../x',
    'all',
    'i',
    'w',
    `'TZ="../x" 2020-01-01'`,
    '@../x',
    './.env',
    '../x//',
  ]);
}

/** Options that write, run or read in some tool. Few belong to this one. */
function foreign(make: Maker, tool: string): string {
  const option = make.among(`
      -o pwn ¦ -opwn ¦ --output=pwn ¦ --output pwn ¦ -i ¦ -i.bak ¦ -iep ¦ --in-place ¦ -w pwn ¦ -C ¦ -O ¦
      -R ¦ -T . ¦ -D ¦ --pre=./evil.sh ¦ --pre ./evil.sh ¦ --hostname-bin=./evil.sh ¦ -z ¦ --search-zip ¦
      --compress-program=./evil.sh ¦ -S 1 -T. ¦ -f names.txt ¦ --files0-from=names.txt ¦
      --file=names.txt ¦ -T names.txt ¦ @names.txt ¦ --exclude-from=names.txt ¦ -fprog.awk ¦
      -exec touch pwn ; ¦ -delete ¦ -fprint pwn ¦ --exec=./evil.sh ¦ -x ./evil.sh ¦ --ext-diff ¦
      --textconv ¦ --no-index ¦ -O./evil.sh ¦ --open-files-in-pager=./evil.sh ¦ -c core.pager=./evil.sh ¦
      --git-dir=planted ¦ --work-tree=.. ¦ -C .. ¦ --ignore-submodules=none ¦ --submodule=diff ¦
      --contents=../x ¦ -X names.txt ¦ --upload-pack=./evil.sh ¦ --filters ¦ -Io ¦ -l ¦
      --checkpoint-action=exec=./evil.sh ¦ --to-command=./evil.sh ¦ -I ./evil.sh ¦
      --rsh-command=./evil.sh ¦ -m lib.sh ¦ -r ¦ -p ¦ --help ¦ -h ¦ -V ¦ --version ¦ -`);
  make.mark(`foreign:${tool} ${option}`);
  return option;
}
