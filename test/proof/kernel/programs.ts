import { type Maker, quote } from './maker.ts';
import { anyFile, plainDirectory } from './words.ts';

/** Programs in the languages of single tools. */
export const languages: Readonly<Record<string, (make: Maker) => string>> = {
  sed: (make) => quote(make.several(1, 2, () => sedCommand(make)).join(make.pick([';', '\n', '\n', ';']))),
  awk: (make) => quote(awkProgram(make)),
  jq: (make) =>
    quote(
      make.pick([
        ...filters,
        'env',
        '$ENV',
        'input',
        'include "x"; .',
        'import "x" as x; .',
        '$__loc__',
        'input_filename',
        'getpath(["a"])',
        'inputs',
        '@sh',
        'debug',
        'halt_error',
        'input_line_number',
        'get_search_list',
        'modulemeta',
      ]),
    ),
  yq: (make) =>
    quote(
      make.pick([
        ...filters,
        'load("../x")',
        'strload("../outside/secret.txt")',
        'env(HOME)',
        'load_str("../x")',
        '. * load("../x")',
        'loadstr("../x")',
        '$ENV',
        'strenv(HOME)',
        'envsubst',
        'input',
      ]),
    ),
};

const filters = [
  '.',
  '.a',
  '.a.b[0]',
  '.name',
  'keys',
  '.a | length',
  'to_entries',
  '.[]',
  'select(.name == "one")',
  'del(.a)',
];

function sedCommand(make: Maker): string {
  const address = make.pick([
    '',
    '',
    '1',
    '1,3',
    '$',
    '/one/',
    '/one/,/two/',
    '2!',
    '0~2',
    '\\,x,',
    '/a\\/b/',
  ]);
  const command = make.among(`
      p ¦ d ¦ q ¦ = ¦ s/one/two/ ¦ s/one/two/g ¦ s,a,b, ¦ y/abc/xyz/ ¦ n ¦ N ¦ h;G ¦ l ¦ s/a/b/p ¦
      {p;p} ¦ {p ¦ } ¦ b ¦ t x ¦ :x ¦ w pwn ¦ W pwn ¦ wpwn ¦ r ../outside/secret.txt ¦ R ../x ¦ e ¦
      e touch pwn ¦ s/one/touch pwn/e ¦ s/one/x/w pwn ¦ s/one/x/gw pwn ¦ s/o/x/2pw pwn ¦ a\\\ntext ¦
      a text ¦ i\\\nw pwn ¦ c\\ ¦ a\\ ¦ a x\\ ¦ s/a\\/w pwn/b/ ¦ s|a|b\\|w pwn| ¦ s/[/]w pwn/b/ ¦ F ¦ z ¦
      y/a\\/b/x\\/w/ ¦ # w pwn ¦ p # x ¦ s/x/\\\nw pwn/ ¦ wpwn;p ¦ Q;w pwn`);
  make.mark(`sed:${command}`);
  return `${address}${command}`;
}

function awkProgram(make: Maker): string {
  const program = make.among(`
      {print $1} ¦ {print $NF} ¦ NR==1 ¦ /one/{print} ¦ {s+=$1} END{print s} ¦ BEGIN{FS=","} {print $2} ¦
      {printf "%s\\n", $1} ¦ length > 3 ¦ $2 > 1 ¦ {print ($2 > 1)} ¦ $1 ~ /a|b/ ¦
      {gsub(/a/,"b"); print} ¦ {print NR ": " $0} ¦ {n=split($0,p,"/"); print p[n]} ¦ {print > "pwn"} ¦
      {print $1 > $2} ¦ {print >> "pwn"} ¦ BEGIN{system("./evil.sh")} ¦ BEGIN{"./evil.sh" | getline} ¦
      {print | "./evil.sh"} ¦ BEGIN{while((getline l < "../outside/secret.txt")>0) print l} ¦
      {getline < ".env"; print} ¦ @include "lib.sh"\n{print} ¦ @load "x" ¦ BEGIN{printf "x" > "pwn"} ¦
      BEGIN{ARGV[1]="../x"}1 ¦ BEGIN{print ENVIRON["HOME"]} ¦ {close("x")} ¦
      BEGIN{f="sys" "tem"; @f("./evil.sh")} ¦ />/{print} ¦ {print "a > b"} ¦
      BEGIN{ARGV[ARGC++]="../x"}1 ¦ {print |& "./evil.sh"} ¦ BEGIN { FILENAME="x" } 1`);
  make.mark(`awk:${program}`);
  return program;
}

export function findCommand(make: Maker, run: () => string): string {
  const starts = make.several(0, 2, () => (make.chance(80) ? plainDirectory(make) : anyFile(make)));
  const tests = make.several(0, 3, () => findTest(make, run));
  return [
    'find',
    ...(make.chance(8) ? [make.pick(['-L', '-P', '-H', '-O2', '-D help'])] : []),
    ...starts,
    ...tests,
  ].join(' ');
}

function findTest(make: Maker, run: () => string): string {
  const test = make.among(`
      -type f ¦ -type d ¦ -name '*.txt' ¦ -iname x ¦ -maxdepth 1 ¦ -mindepth 1 ¦ -size +0 ¦
      -newer a.txt ¦ -empty ¦ -print ¦ -print0 ¦ -ls ¦ -not -name x ¦ -path './src/*' ¦ -mtime -1 ¦
      -perm 644 ¦ -o -type d ¦ \\( -type f \\) ¦ -prune ¦ -quit ¦ -regex '.*txt' ¦ -printf '%p\\n' ¦
      -samefile a.txt ¦ -lname x ¦ -follow ¦ -user root ¦ -newermt 2020-01-01 ¦ -newermt 'TZ="../../x" 2020-01-01' ¦ -exec ¦ -execdir ¦
      -exec+ ¦ -ok ¦ -delete ¦ -fprint pwn ¦ -fls pwn ¦ -fprintf pwn x ¦ -fprint0 pwn ¦
      -files0-from names.txt ¦ -name '*' -delete ¦ -newer ../x ¦ -anewer ../x ¦ -okdir touch {} \\;`);
  make.mark(`find:${test}`);
  switch (test) {
    case '-exec':
    case '-execdir':
    case '-ok':
      return `${test} ${run()} ${make.chance(70) ? '{} ' : ''}${make.pick(['\\;', "';'", '{} +', '+'])}`;
    case '-exec+':
      return `-exec ${run()} {} +`;
    default:
      return test;
  }
}

export function testCommand(make: Maker, word: () => string): string {
  const expression = make.choose('test', {
    file: () =>
      `${make.pick(['-f', '-d', '-e', '-s', '-L', '-r', '-x', '-n', '-z', '-t', '-h', '-N', '-O'])} ${word()}`,
    text: () => `${word()} ${make.pick(['=', '!=', '==', '\\<', '\\>'])} ${word()}`,
    number: () =>
      `${word()} ${make.pick(['-eq', '-lt', '-gt', '-ne'])} ${make.pick(['1', 'x', '$x', '"$i"', "'a[$(touch pwn)]'"])}`,
    variable: () => `-v ${make.pick(['x', 'i', "'a[$(touch pwn)]'", '$x', '"$f"'])}`,
    reference: () => `-R x`,
    older: () => `${word()} ${make.pick(['-nt', '-ot', '-ef'])} ${word()}`,
    both: () => `-f ${word()} ${make.pick(['-a', '-o'])} -d ${word()}`,
    redirect: () => `a ${make.pick(['>', '<', '>>'])} pwn`,
  });
  return make.chance(50) ? `test ${expression}` : `[ ${expression} ]`;
}
