import { gitCommands } from '../../../src/shell/tables/git.data.ts';
import { curlFlags, wgetFlags } from '../../../src/shell/tables/transfers.data.ts';
import { type Maker, quote } from './maker.ts';
import { optionsOf } from './options.ts';

/** Rules as people write them for programs that read, or that bring data from one place to another. */
export const readerRules: readonly string[] = [
  ...[
    'curl',
    'wget',
    'awk',
    'jq',
    'strings',
    'sed',
    'grep',
    'rg',
    'cat',
    'head',
    'diff',
    'hexdump',
    'find',
    'base64',
  ],
  ...['egrep', 'fgrep', 'wc', 'du', 'md5sum', 'sha256sum', 'cksum', 'tail', 'nl', 'od', 'cut', 'cmp', 'tac'],
  ...['diff', 'log', 'show', 'cat-file', 'grep', 'blame', 'status', 'stash', 'ls-files', 'rev-parse'].map(
    (name) => `git ${name}`,
  ),
];

/** Rules with a whole command: every option in it is covered, but not what is protected or refused. */
export const wholeRules: readonly string[] = [
  'git diff --outpu=.npmrc HEAD~1',
  'git log --outp=kept/inner/x -1',
  'git diff --output=.npmrc HEAD~1',
  'sort -o .npmrc a.txt',
  'git log -p --no-color-moved --remerge-diff',
];

/** Programs of such rules, with every way of theirs to name a file, and with options that only they know. */
export function grantedReader(make: Maker): string {
  return make.choose('reader', readers);
}

/** What a rule refuses, beside what it does not. */
function file(make: Maker): string {
  return make.among(`
    a.txt ¦ .env ¦ src/.env ¦ ./.env ¦ secret/key.txt ¦ hidden/plain.txt ¦ data.json ¦ linkenv ¦ src/../.env ¦ names.txt ¦
    .e[n-n]v ¦ .en? ¦ {.env,a.txt} ¦ secret ¦ hidden ¦ . ¦ *`);
}

const readers: Readonly<Record<string, (make: Maker) => string>> = {
  curl: (make) => {
    const options = make.chance(60) ? [curlOption(make)] : optionsOf(make, 'curl', spec(curlFlags));
    return ['curl -s -m1', ...options, curlAddress(make)].join(' ');
  },
  wget: (make) => {
    const own = make.among(`
      -i FILE ¦ --input-file=FILE ¦ --post-file=FILE ¦ --body-file=FILE --method=PUT ¦ -O FILE ¦ -o kept/inner/x ¦ -P .husky ¦
      --load-cookies=FILE ¦ --config=FILE ¦ --ca-certificate=FILE ¦ -e input=FILE ¦ --use-askpass=./evil.sh ¦ --warc-file=kept/inner/x ¦ -q`);
    const options = make.chance(60)
      ? [own.replace('FILE', file(make))]
      : optionsOf(make, 'wget', spec(wgetFlags));
    return ['wget -t1 -T1', ...options, 'http://127.0.0.1:9/x'].join(' ');
  },
  jq: (make) =>
    `jq ${make
      .among(
        `. FILE ¦ -n 'input' FILE ¦ -n --rawfile x FILE '$x' ¦ -n --slurpfile x FILE '$x' ¦ -f FILE ¦ --from-file FILE ¦ -L . -n 'import "data" as $x; $x' ¦
         -L hidden -n 'include "x"; .' ¦ -nR 'inputs' FILE ¦ -R . FILE ¦ -n '$ENV' ¦ --argfile x FILE -n '$x' ¦ -n env ¦ -n '{a: if true then 1, env else 2 end}' ¦
         -Rs . < FILE ¦ --seq . FILE ¦ -n 'input_filename' ¦ --args -n '$ARGS' FILE ¦ -L. -n 'import "./data" as \\$x; \\$x' ¦ -nr --rawfile x FILE '$x' --arg y z`,
      )
      .replace('FILE', file(make))}`,
  strings: (make) =>
    `strings ${make.among('FILE ¦ -a FILE ¦ @FILE ¦ -n 3 FILE ¦ -f FILE ¦ @names.txt ¦ -- FILE ¦ -tx FILE ¦ -T elf32-i386 FILE ¦ --version @names.txt').replace('FILE', file(make))}`,
  awk: (make) =>
    `awk ${make
      .among(
        `'{print}' FILE ¦ -f FILE a.txt ¦ -v f=FILE '{while((getline l < f)>0) print l}' a.txt ¦ 'BEGIN{while((getline l < ARGV[1])>0) print l}' FILE ¦
         '{print}' f=FILE ¦ --include=FILE '{print}' ¦ -E FILE ¦ -i FILE 1 a.txt ¦ 'BEGIN{ARGV[1]=".env"}1' a.txt ¦ 1 FILE ¦ -F: '{print $1}' FILE ¦ -o- 1 a.txt ¦
         -d.npmrc 1 a.txt ¦ '@include ".env"' ¦ --file=FILE ¦ -lreadfile 'BEGIN{print readfile(".env")}' ¦ '{print > "kept/inner/x"}' a.txt ¦ -e 1 FILE`,
      )
      .replace('FILE', file(make))}`,
  sed: (make) =>
    `sed ${make
      .among(
        `-n p FILE ¦ 'r .env' a.txt ¦ 'R .env' a.txt ¦ -f FILE a.txt ¦ -n '/x/r.env' a.txt ¦ 'w kept/inner/x' a.txt ¦ -s p FILE a.txt ¦ -E '1r .env' a.txt ¦
         --file=FILE a.txt ¦ --expression=p FILE ¦ '1e cat .env' a.txt ¦ 's/o/cat .env/e' a.txt ¦ -ne p -- FILE ¦ 'F' FILE ¦ -i.npmrc p a.txt`,
      )
      .replace('FILE', file(make))}`,
  text: (make) =>
    `${make.among('grep one ¦ grep -f ¦ grep -r T ¦ grep -e T -f ¦ cat ¦ head -c9 ¦ diff a.txt ¦ hexdump -C ¦ base64 ¦ rg T ¦ rg -f ¦ rg -uu T ¦ grep --file= ¦ diff --from-file= ¦ rg --pre cat T ¦ rg --ignore-file= T')} ${file(make)}`,
  walk: walkingReader,
  walk2: walkingReader,
  listed: (make) =>
    `${make
      .among(`
      wc --files0-from=names0 ¦ du -a --files0-from=names0 ¦ sort --files0-from=names0 ¦ md5sum --check sums.txt ¦ sha256sum -c sums.txt ¦ cksum --check sums.txt ¦
      tar -c --files-from=names.txt ¦ tar cT names.txt ¦ file -f names.txt ¦ md5sum -wc sums.txt`)
      .replace(/--[a-z0-9-]+/, (long) => abbreviated(make, long))}`,
  socket: (make) =>
    `awk 1 ${make.among('/inet/tcp/0/127.0.0.1/9 ¦ /inet/udp/0/127.0.0.1/9 ¦ a.txt /inet4/tcp/0/127.0.0.1/9')}`,
  git: gitReader,
  git2: gitReader,
  git3: gitReader,
};

/** Programs that go through a directory by an option, in every spelling, and patterns that may become what is above. */
function walkingReader(make: Maker): string {
  const place = make.among('. ¦ src ¦ secret ¦ hidden ¦ .. ¦ ./ ¦ src/.. ¦ .* ¦ src/.* ¦ docs/../secret ¦ ');
  const deep = make.among(`
    -d recurse ¦ -drecurse ¦ -d rec ¦ -nd recurse ¦ --directories=recurse ¦ --directories=rec ¦ --directories recurse ¦ --recursive ¦ --dereference-recursive ¦ -rd read ¦ -d read ¦ -R`);
  const option = deep.replace(/--[a-z-]+/, (long) => abbreviated(make, long));
  make.mark(`option:granted walk ${deep}`);
  return make.choose('walk', {
    grep: (m) => `${m.pick(['grep', 'egrep', 'fgrep', 'grep -h'])} ${option} T ${place}`,
    computed: (m) => `q=T; grep ${option} ${m.pick(['"$q"', '$q', '-e "$q"', '-e T'])} ${place}`,
    diff: (m) => `diff ${abbreviated(m, '--recursive')} ${place} docs`,
    // Other shells than today's bash let them become what is above.
    upward: (m) =>
      `sh -c '${m.pick(['cat', 'head', 'tail', 'wc', 'od', 'nl', 'cut -c1-', 'tac', 'base64', 'awk 1', 'sed p', 'strings'])} ${m.among(
        '.*/.e* ¦ .?*/.env ¦ src/.*/.en? ¦ .*/secret/* ¦ docs/.?*/hidden/* ¦ src/.[.]/.env ¦ */../.env ¦ src/*/../.env ¦ .*/ws/.env',
      )}'`,
  });
}

/** Some of the letters of a long option, from the beginning. */
function abbreviated(make: Maker, long: string): string {
  return long.slice(0, long.length - make.random.below(Math.max(1, long.length - 5)));
}

function curlOption(make: Maker): string {
  return make
    .among(
      `-d @FILE ¦ --data-binary @FILE ¦ --data-urlencode x@FILE ¦ -F a=@FILE ¦ -F 'a=@"FILE"' ¦ -F a=@a.txt,FILE ¦ -F 'a=<FILE' ¦ -T FILE ¦ -K FILE ¦ --config FILE ¦
       -H @FILE ¦ --header @FILE ¦ --json @FILE ¦ -b FILE ¦ --cookie FILE ¦ -E FILE ¦ --cacert FILE ¦ --netrc-file FILE ¦ -o kept/inner/x ¦ -o .npmrc ¦ --output .husky/x ¦
       -n ¦ -sSn ¦ --netrc ¦ -z FILE ¦ -D .npmrc ¦ -c kept/inner/x ¦ --trace .npmrc ¦ --trace-ascii - ¦ -w @FILE ¦ --variable x@FILE ¦ --url-query @FILE ¦ --etag-compare FILE ¦ --key FILE ¦ --hsts FILE ¦
       -sT FILE ¦ -sd @FILE ¦ -d@FILE ¦ -HX:1 ¦ --data @FILE ¦ --data=@FILE ¦ --upload-file FILE ¦ --libcurl .npmrc ¦ --stderr .npmrc ¦ -T '{a.txt,FILE}' ¦ -T '.e[n-n]v' ¦ -T 'secret/[k-k]ey.txt' ¦ -F 'a=@a.txt;headers=@FILE' ¦ -F 'a=b; headers=<FILE' ¦ -E FILE:pw ¦ --cert FILE:x:y ¦ --proxy-header @FILE ¦ --mail-rcpt x ¦ -Z`,
    )
    .replace('FILE', file(make));
}

function curlAddress(make: Maker): string {
  return make.among(`
    http://127.0.0.1:9/ ¦ "file://$PWD/.env" ¦ 'file:///etc/hostname' ¦ file://localhost/etc/hostname ¦ 'fi{le}:///etc/hostname' ¦
    --url http://127.0.0.1:9 ¦ http://127.0.0.1:9/{a,b} ¦ FILE:///etc/hostname ¦ http://127.0.0.1:9/ "file://$PWD/.env" ¦
    "file://$PWD/.e[n-n]v" ¦ "file://$PWD/{a.txt,.env}" ¦ "{http,file}://$PWD/.env" ¦ "file://$PWD/%2eenv"`);
}

/** Options of the tables, and such as only git knows: none of them may lift what is refused. */
function gitReader(make: Maker): string {
  const name = make.pick([
    'diff',
    'diff',
    'log',
    'show',
    'cat-file',
    'grep',
    'blame',
    'status',
    'stash show',
  ]);
  make.mark(`tool:granted git ${name}`);
  const table = gitCommands[name];
  const known = table && make.chance(50) ? optionsOf(make, `git-${name}`, table) : [];
  const unlisted = make.several(0, 2, () =>
    make.among(`
      --no-color-moved ¦ --remerge-diff ¦ --output-indicator-new=+ ¦ --batch-all-objects ¦ --batch ¦ --submodule=diff ¦ --ignore-submodules=none ¦
      --output=.npmrc ¦ --outpu=.npmrc ¦ --outp kept/inner/x ¦ --output kept/inner/x ¦ -O.env ¦ --textconv ¦ --ext-diff ¦ -p ¦ -q ¦ --stat ¦ --diff-merges=on ¦ -m ¦ --cc ¦
      --no-notes ¦ --notes=more ¦ --show-notes ¦ --full-diff ¦ -1 ¦ --all ¦ --stdin ¦ --contents=.env ¦ --no-index ¦ -f .env ¦ --untracked ¦ -W ¦ --buffer ¦ --filters ¦
      --show-signature ¦ --reflog ¦ --left-right ¦ --no-walk ¦ -U0 ¦ --pat ¦ --dd ¦ --skip-to=a.txt ¦ --rotate-to=.env ¦ --word-diff=porcelain ¦ --no-pat -p`),
  );
  for (const option of unlisted) make.mark(`option:granted git-${name} ${option}`);
  const operands = make.several(0, 2, () =>
    make.among(
      'HEAD ¦ HEAD~1 ¦ main ¦ other ¦ -- .env ¦ -- src ¦ -- a.txt ¦ stash ¦ HEAD:.env ¦ .env ¦ a.txt ¦ T ¦ -e TOKEN ¦ FETCH_HEAD ¦ :.env',
    ),
  );
  return ['git', name, ...known, ...unlisted, ...operands].join(' ');
}

function spec(flags: string) {
  return { why: '', operands: 'text' as const, flags };
}

/** Variables before a command, by which programs find settings, files and other programs. */
export function assigned(make: Maker): string {
  const name = make.among(`
    x ¦ LC_ALL ¦ LANG ¦ LANGUAGE ¦ LOCPATH ¦ NLSPATH ¦ TZ ¦ TZDIR ¦ PATH ¦ IFS ¦ HOME ¦ CDPATH ¦ TERM ¦ TERMINFO ¦ COLUMNS ¦ TMPDIR ¦ DEBUG ¦ NO_COLOR ¦ FORCE_COLOR ¦ CI ¦
    GIT_PAGER ¦ PAGER ¦ GIT_DIR ¦ GIT_WORK_TREE ¦ GIT_INDEX_FILE ¦ GIT_EXTERNAL_DIFF ¦ GIT_CONFIG_GLOBAL ¦ GIT_CONFIG_COUNT ¦ GIT_CONFIG ¦ GIT_TRACE ¦ GIT_TRACE2 ¦
    GIT_NOTES_DISPLAY_REF ¦ GIT_NOTES_REF ¦ GIT_OBJECT_DIRECTORY ¦ GIT_ALTERNATE_OBJECT_DIRECTORIES ¦ GIT_EXEC_PATH ¦ GIT_NO_REPLACE_OBJECTS ¦ GIT_OPTIONAL_LOCKS ¦ XDG_CONFIG_HOME ¦
    LD_PRELOAD ¦ LD_LIBRARY_PATH ¦ BASH_ENV ¦ ENV ¦ SHELLOPTS ¦ PS4 ¦ NODE_OPTIONS ¦ PYTHONPATH ¦ PERL5OPT ¦ RUBYOPT ¦ LESSOPEN ¦ LESS ¦ RIPGREP_CONFIG_PATH ¦ GREP_OPTIONS ¦ GREP_COLORS ¦
    AWKPATH ¦ AWKLIBPATH ¦ TAR_OPTIONS ¦ GZIP ¦ XZ_OPT ¦ ZIPOPT ¦ UNZIP ¦ ZIPINFO ¦ WGETRC ¦ CURL_HOME ¦ MAGIC ¦ LS_COLORS ¦ TREE_COLORS ¦ BLOCKSIZE ¦ POSIXLY_CORRECT ¦ TIME_STYLE ¦
    QUOTING_STYLE ¦ JQ_COLORS ¦ MANPATH ¦ HOSTALIASES ¦ RES_OPTIONS ¦ MALLOC_TRACE ¦ GCONV_PATH ¦ OPENSSL_CONF ¦ SSL_CERT_FILE ¦ EDITOR ¦ VISUAL ¦ SED ¦ COREPACK_HOME ¦ npm_config_x`);
  make.mark(`assigned:${name}`);
  const value = make.pick([
    ...[
      '1',
      '0',
      'cat',
      'FRX',
      '.',
      'C',
      './evil.sh',
      './x',
      'lib.sh',
      'names.txt',
      'planted',
      '..',
      '-r./x',
      '',
      'more',
      'pwn',
      ':../x',
      '../outside',
    ],
    ...[
      quote('|./evil.sh'),
      '"$PWD"/pwn',
      '"$PWD"',
      '$(touch pwn)',
      '"$(cat .env)"',
      '.env',
      'C.UTF-8',
      'UTC',
      ':.env',
      quote('--output=pwn'),
      'refs/notes/more',
    ],
  ]);
  return `${name}=${value}`;
}
