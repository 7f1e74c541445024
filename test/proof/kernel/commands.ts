import type { ProgramSpec } from '../../../src/shell/programs/tool-spec.ts';
import { builtins } from '../../../src/shell/tables/builtins.data.ts';
import { fileTools } from '../../../src/shell/tables/file-tools.data.ts';
import { gitCommands, gitListings } from '../../../src/shell/tables/git.data.ts';
import { textTools } from '../../../src/shell/tables/text-tools.data.ts';
import { shortVersions, versionTools } from '../../../src/shell/tables/versions.data.ts';
import { viewingTools } from '../../../src/shell/tables/viewing-tools.data.ts';
import { writers } from '../../../src/shell/tables/writers.data.ts';
import { climbingSearch } from './climbing.ts';
import { everydayCommand } from './everyday.ts';
import { computedCommand, handedCommand, settingCommand } from './granted.ts';
import { assigned, grantedReader } from './granted-readers.ts';
import { type Maker, quote } from './maker.ts';
import { optionsOf } from './options.ts';
import { findCommand, languages, testCommand } from './programs.ts';
import { redirection } from './redirects.ts';
import { anyFile, arithmetic, expansion, oddFile, payload, plainDirectory, plainFile } from './words.ts';
import { xargsCommand } from './xargs.ts';

const tables: Readonly<Record<string, ProgramSpec>> = {
  ...fileTools,
  ...textTools,
  ...viewingTools,
  ...builtins,
};
/** They wait for more input, or for long. */
const tools = Object.keys(tables).filter((name) => name !== 'sleep');

/** A simple command that is likely to be known as harmless. */
export function benign(make: Maker): string {
  return make.among(`
      echo hi ¦ ls ¦ pwd ¦ true ¦ : ¦ cat a.txt ¦ head -1 a.txt ¦ wc -l a.txt ¦ grep one a.txt ¦
      sort a.txt ¦ git log ¦ git status ¦ ls src ¦ cat x ¦ git diff --stat ¦ find . -name x ¦ rg one ¦ rg one src ¦
      date ¦ cat a/x`);
}

/** A simple command of any kind. */
export function command(make: Maker): string {
  const text = make.choose('command', {
    tool: toolCommand,
    tool2: toolCommand,
    tool3: toolCommand,
    benign,
    git: gitCommand,
    git2: gitCommand,
    find: (m) =>
      findCommand(m, () =>
        m.nest(
          () => inner(m),
          () => 'cat',
        ),
      ),
    climbing: climbingSearch,
    test: (m) => testCommand(m, () => word(m)),
    printf: (m) =>
      `printf ${m.pick(["'%s\\n'", '%d', '%n', '-v x', "'%b'", '-- %s', "'%(%F)T'", "'%5$s'", "'%*d'"])} ${word(m)}`,
    edit: editCommand,
    whole: wholeCommand,
    granted: grantedCommand,
    setting: settingCommand,
    computed: computedCommand,
    handed: handedCommand,
    reader: grantedReader,
    xargs: (m) =>
      xargsCommand(m, () =>
        m.nest(
          () => inner(m),
          () => 'cat',
        ),
      ),
    version: (m) => `${m.pick([...versionTools])} ${m.pick(['--version', ...Object.keys(shortVersions)])}`,
    everyday: everydayCommand,
    package: (m) =>
      m.among(`
      npm ls ¦ npm --version ¦ npm run ¦ npm view x ¦ npm config get x ¦ npm outdated ¦ pip list ¦
      cargo tree ¦ go list ./... ¦ go version ¦ npm pkg get name ¦ npm prefix ¦ npm root`),
    new: (m) =>
      m.among(`
      base64 a.txt ¦ zcat a.txt.gz ¦ gunzip -c a.txt.gz | head -2 ¦ git diff --no-index a.txt b.txt ¦
      bash --version ¦ gzip -dc a.txt.gz ¦ zgrep one a.txt.gz ¦ base32 a.txt ¦ unexpand a.txt ¦
      fmt a.txt ¦ tsort a.txt ¦ shuf a.txt ¦ xz -l a.txt ¦ bzcat a.txt ¦ less a.txt ¦ more a.txt ¦
      pr a.txt ¦ factor 6 ¦ numfmt 1 ¦ ldd evil.sh ¦ nm ls ¦ man ls ¦ env ¦ printenv HOME ¦
      readelf -h ls ¦ dd if=a.txt ¦ split a.txt ¦ csplit a.txt 1 ¦ ln -s a.txt pwn ¦ install a.txt pwn ¦
      truncate -s0 a.txt ¦ mktemp ¦ mkfifo pwn ¦ patch ¦ ed a.txt ¦ vi a.txt ¦ base64 -d a.txt ¦
      unzip -l odd/k ¦ zipinfo odd/k ¦ unzip -Z odd/k.zip ¦ find odd -exec cat {} + ¦ grep -R one odd ¦
      find -L odd -name '??' ¦ ls odd | xargs -I{} cat odd/{} ¦ cat odd/?? ¦ ls odd/* ¦ diff -r odd src ¦
      zcat -f a.txt ¦ gunzip a.txt.gz ¦ gzip -k b.txt`),
  });
  return make.chance(18) ? redirected(make, text) : text;
}

export function toolCommand(make: Maker): string {
  const name = make.pick(tools);
  const spec = tables[name];
  if (!spec) return name;
  make.mark(`tool:${name}`);
  const options = optionsOf(make, name, spec);
  return shuffled(make, programName(make, name), options, operandsOf(make, name, spec));
}

function operandsOf(make: Maker, name: string, spec: ProgramSpec): string[] {
  const language = languages[name];
  const files = () => make.several(name === 'cd' ? 1 : 0, spec.most ?? 2, () => word(make));
  const program = make.chance(85)
    ? [language?.(make) ?? make.pick(['one', "'o.*'", '-e', "''", '.', "'*.ts'"])]
    : [];
  switch (spec.operands) {
    case 'none':
      return make.chance(15) ? [word(make)] : [];
    case 'text':
      return name === 'date'
        ? [make.pick(['+%F', '', '-u', '0101', '+%s'])]
        : make.several(0, 2, () => word(make));
    case 'pattern':
      return [...program, ...files()];
    default:
      return language ? [...program, ...files()] : files();
  }
}

/** Options mostly come first, but not always. */
function shuffled(
  make: Maker,
  name: string,
  options: readonly string[],
  operands: readonly string[],
): string {
  if (make.chance(85)) return [name, ...options, ...(make.chance(5) ? ['--'] : []), ...operands].join(' ');
  make.mark('order:options-last');
  return [name, ...operands, ...options].join(' ');
}

/** The ways to name a program. */
function programName(make: Maker, name: string): string {
  if (make.chance(93)) return name;
  return make.choose('program-name', {
    path: () => `/usr/bin/${name}`,
    bin: () => `/bin/${name}`,
    escaped: () => `\\${name}`,
    quoted: () => `"${name}"`,
    local: () => `./${name}`,
    nested: () => `bin/${name}`,
    upper: () => name.toUpperCase(),
    ansi: () => `$'${name}'`,
    split: () => `${name.slice(0, 1)}''${name.slice(1)}`,
    other: () => `/usr/local/bin/${name}`,
  });
}

export function gitCommand(make: Maker): string {
  const listings = make.chance(25);
  const table = listings ? gitListings : gitCommands;
  const name = make.pick(Object.keys(table));
  const spec = table[name];
  if (!spec) return 'git status';
  make.mark(`tool:git ${name}`);
  const before = make.chance(15)
    ? make.among(`
      -C src ¦ -C .. ¦ --no-pager ¦ -C a/b ¦ -c core.pager=./evil.sh ¦ --git-dir=.git ¦
      --git-dir=planted ¦ --work-tree=. ¦ --bare ¦ -p ¦ -C planted ¦ -C sub ¦ --exec-path=. ¦
      --no-optional-locks ¦ -C src/deep ¦ --literal-pathspecs ¦ -c diff.external=./evil.sh ¦ -C "$d" ¦
      --namespace=x ¦ -C linkout ¦ -C linkin ¦ -C turn ¦ -C near ¦ -C part`)
    : '';
  if (before !== '') make.mark(`git-before:${before}`);
  const operands = make.several(0, 2, () =>
    make.among(`
      HEAD ¦ HEAD~1 ¦ v1 ¦ main ¦ -- a.txt ¦ a.txt ¦ HEAD:a.txt ¦ HEAD:a.txt..HEAD ¦ --all HEAD:a.txt ¦ HEAD:src/.. ¦ HEAD:.env ¦ -- ¦ src ¦ :/first ¦
      HEAD..main ¦ . ¦ .env ¦ -- .env ¦ ../x ¦ list ¦ show ¦ get-url ¦ origin ¦ one ¦ user.name ¦
      --get user.name ¦ a.txt b.txt ¦ :(top) ¦ :!a.txt ¦ HEAD^{tree} ¦ @{0} ¦ stash@{0} ¦ x ¦ new ¦
      HEAD:src ¦ -p HEAD ¦ secret ¦ -- :/ ¦ -- .. ¦ -- ':(top)' ¦ -- ':(top,icase)AROUND.TXT' ¦ -- :/around.txt ¦ ../around.txt ¦ -e one ¦ -- ':(top)x' ¦ --untracked -e T ¦ -- ../more ¦ -- '../mor*'`),
  );
  return ['git', before, name, ...optionsOf(make, `git-${name}`, spec), ...operands]
    .filter((part) => part !== '')
    .join(' ');
}

function editCommand(make: Maker): string {
  const target = () =>
    make.chance(60)
      ? make.pick(['new', 'a.txt', 'src/new', 'empty/n', 'b.txt', 'docs'])
      : make.among(`
      .git/config ¦ .git/hooks/pre-commit ¦ .vscode/tasks.json ¦ .envrc ¦ ../pwn ¦ linkout/pwn ¦
      linkfile ¦ src/up/pwn ¦ ~/pwn ¦ linkin/new ¦ .github/workflows/x.yml ¦ a/../../pwn ¦ *.txt ¦
      {a,b}.txt ¦ 'a b.txt' ¦ -n ¦ -- -n ¦ .npmrc ¦ dir.txt ¦ linkout ¦ .git ¦ . ¦ sub/.git/config ¦
      a/away ¦ .husky/x`);
  make.mark('tool:edit');
  return make.choose('edit', {
    mkdir: (m) => `mkdir ${m.pick(['', '-p', '-m 777', '-v', '-pv'])} ${target()}`,
    touch: (m) => `touch ${m.pick(['', '-a', '-c', '-r ../x', '-d now', '-h'])} ${target()}`,
    rm: (m) => `rm ${m.pick(['', '-f', '-r', '-rf', '-i', '-rv', '--no-preserve-root'])} ${target()}`,
    rmdir: (m) => `rmdir ${m.pick(['', '-p'])} ${m.pick(['empty', 'a/b/c', '../outside', 'dir.txt'])}`,
    mv: (m) => `mv ${m.pick(['', '-f', '-n', '-t src', '-b', '-S x'])} ${anyFile(m)} ${target()}`,
    cp: (m) =>
      `cp ${m.pick(['', '-r', '-a', '-p', '-l', '-s', '-t src', '--parents', '-u', '-L', '-b'])} ${anyFile(m)} ${target()}`,
    tee: (m) => `echo x | tee ${m.pick(['', '-a', '-i', '-p'])} ${target()}`,
    sed: (m) =>
      `sed ${m.among(`
      -i ¦ -i.bak ¦ -ni ¦ -in ¦ -i -e ¦ -iep ¦ -ie ¦ -Ei ¦ -iE ¦ --in-place ¦ --in-place=.bak ¦ -i -n ¦
      -si ¦ -i'' ¦ --in-place=../x ¦ -e p -i ¦ --follow-symlinks -i ¦ -ic ¦ -z -i`)} ${languages.sed?.(m) ?? ''} ${target()}`,
    redirect: (m) => `echo x ${m.pick(['>', '>>', '>|', '&>', '1>', '2>', '<>', '>&', '&>>'])} ${target()}`,
    cat: () => `cat > ${target()} <<'E'\nx\nE`,
    link: () => `ln -s ../outside ${target()}`,
  });
}

/** Directories that hold what is protected, or what a rule refuses, as a whole. */
function wholeCommand(make: Maker): string {
  const directory = () =>
    make.among(
      'pkg ¦ app ¦ app/deep ¦ kept ¦ ci ¦ docs ¦ src ¦ workflows ¦ empty ¦ ./pkg/. ¦ k* ¦ linkin ¦ a/../pkg',
    );
  const place = () =>
    make.among('new ¦ docs ¦ . ¦ .husky ¦ docs/.git ¦ .github ¦ kept ¦ kept/inner ¦ empty ¦ src/new');
  make.mark('tool:whole');
  return make.choose('whole', {
    rm: (m) => `rm ${m.pick(['-r', '-rf', '-R', '-fr', '--recursive', '-rfv', '-ri'])} ${directory()}`,
    mv: (m) => `mv ${m.pick(['', '-f', '-n', '-u', '-T', '-i'])} ${directory()} ${place()}`,
    cp: (m) => `cp ${m.pick(['-r', '-a', '-R', '-ru', '-rT', '-rL'])} ${directory()} ${place()}`,
    rmdir: () => `rmdir ${directory()}`,
    find: (m) =>
      `find ${directory()} ${m.pick(['-delete', '-name x -delete', '-fprint .git/x', '-fprint kept/inner/x', '-type f -delete', '-depth -delete'])}`,
    chmod: (m) => `chmod ${m.pick(['-R', ''])} u+w ${directory()}`,
    rsync: () => `rsync -a ${directory()} ${place()}`,
  });
}

/** Programs that rules allow, with options and operands that write. */
function grantedCommand(make: Maker): string {
  const name = make.pick(Object.keys(writers));
  const writer = writers[name];
  const file = () =>
    make.among(
      `a.txt ¦ b.txt ¦ new ¦ kept/inner/file.txt ¦ kept/inner/new ¦ .husky/x ¦ .npmrc ¦ src/main.ts ¦ pkg/.git/config ¦ .vscode/x ¦ linkin ¦ docs ¦ -n ¦ "$x"`,
    );
  make.mark(`tool:granted ${name}`);
  if (make.chance(25))
    return make.among(`
      dd if=a.txt of=.husky/x ¦ dd of=new if=a.txt ¦ dd if=a.txt of=kept/inner/x ¦ tar -cf .npmrc a.txt ¦ tar cf new a.txt ¦
      tar -xf arc.tar ¦ sed -n 'w .npmrc' a.txt ¦ sed -n 'w.npmrc' a.txt ¦ sed 'r.env' a.txt ¦ sed s/o/0/w.npmrc a.txt ¦ sed -n '1rsecret/key.txt' a.txt ¦ awk '{print > ".npmrc"}' a.txt ¦ tar -chf new src ¦ cp -r linkin/. new ¦ sed -i.bak s/o/0/ a.txt ¦ sed -i s/o/0/ kept/inner/file.txt ¦ sed -n 1p a.txt ¦
      sed -i'*.bak' p a.txt ¦ tar -xf arc.tar -C docs ¦ tar cfz new a.txt ¦ make all SHELL=./evil.sh ¦ npm test --script-shell=./evil.sh ¦
      make all -n ¦ ln -s kept h && tee h/inner/x < a.txt ¦ ln -s .git h; cp a.txt h/x ¦ mv linkin kk && cp a.txt kk/x`);
  if (!writer) return name;
  const options = optionsOf(make, name, { why: '', operands: 'paths', flags: writer.flags });
  return `${shuffled(make, name, options, make.several(1, 3, file))} < a.txt`;
}

export function redirected(make: Maker, text: string): string {
  return make.choose('redirect', {
    null: () => `${text} > /dev/null`,
    errors: () => `${text} 2>/dev/null`,
    both: () => `${text} > /dev/null 2>&1`,
    merge: () => `${text} 2>&1`,
    input: (m) => `${text} < ${anyFile(m)}`,
    string: (m) => `${text} <<< ${word(m)}`,
    document: (m) =>
      `${text} <<${m.pick(['E', '-E', "'E'", '"E"', '\\E'])}\n${m.among(`
      text ¦ $(touch pwn) ¦ \`./evil.sh\` ¦ $x ¦ \\$(touch pwn) ¦ \${x:-$(touch pwn)} ¦
      $((a[$(touch pwn)]))`)}\nE\n`,
    any: (m) => `${text} ${redirection(m)}`,
    any2: (m) => `${text} ${redirection(m)}`,
    first: (m) => `${redirection(m)} ${text}`,
    two: (m) => `${text} ${redirection(m)} ${redirection(m)}`,
    descriptor: (m) =>
      `${text} ${m.pick(['3>&1', '3<a.txt', '3<>pwn', '{x}>pwn', '{x}<a.txt', '9>pwn', '3<&-', '3<../x', '0<&3', '2>&-'])}`,
    substitution: (m) =>
      `${text} < <(${m.nest(
        () => inner(m),
        () => 'cat x',
      )})`,
    into: (m) =>
      `${text} > >(${m.nest(
        () => inner(m),
        () => 'cat',
      )})`,
  });
}

/** A word that stands where an operand does. */
export function word(make: Maker): string {
  const pick = make.random.below(100);
  if (pick < 58) return plainFile(make);
  if (pick < 75) return oddFile(make);
  if (pick < 78) return plainDirectory(make);
  if (pick < 90) return expansion(make);
  return make.nest(
    () =>
      make.choose('substitution', {
        command: (m) => `$(${inner(m)})`,
        quoted: (m) => `"$(${inner(m)})"`,
        backtick: (m) => `\`${benign(m)}\``,
        file: (m) => `$(< ${anyFile(m)})`,
        process: (m) => `<(${inner(m)})`,
        output: (m) => `>(${inner(m)})`,
        arithmetic: (m) => `$((${arithmetic(m)}))`,
        nested: (m) => `"$(echo $(${inner(m)}))"`,
      }),
    () => plainFile(make),
  );
}

/** A command inside another one. */
export function inner(make: Maker): string {
  if (make.chance(45)) return benign(make);
  if (make.chance(12)) return payload(make);
  return make.nest(
    () => command(make),
    () => benign(make),
  );
}

/** A command behind one that runs it. */
export function wrapped(make: Maker, text: string): string {
  return make.choose('wrapper', {
    env: (m) =>
      `env ${m.pick(['', '-i', 'x=1', 'LC_ALL=C', 'PATH=.', '-u x', '-S', '-C src', '-', 'GIT_DIR=planted', '--chdir=src', '-0', 'x=$y', '-v'])} ${text}`,
    nice: (m) => `nice ${m.pick(['', '-n 5', '-5', '--adjustment=1', '-n5'])} ${text}`,
    timeout: (m) =>
      `timeout ${m.pick(['1', '-k 1 1', '1s', '--foreground 1', '-s KILL 1', '-k1 1', '0.5'])} ${text}`,
    command: (m) => `command ${m.pick(['', '-p', '-v', '-V', '--', '-pv'])} ${text}`,
    builtin: (m) => `builtin ${m.pick(['', '--'])} ${text}`,
    nohup: () => `nohup ${text}`,
    stdbuf: (m) => `stdbuf ${m.pick(['-oL', '-o 0', '-i0 -o0', '--output=L'])} ${text}`,
    ionice: (m) => `ionice ${m.pick(['-c3', '-c 2 -n 7', ''])} ${text}`,
    time: (m) => `time ${m.pick(['', '-p', '--'])} ${text}`,
    not: () => `! ${text}`,
    xargs: () => `echo a.txt | xargs ${text}`,
    find: () => `find . -maxdepth 1 -name a.txt -exec ${text} {} \\;`,
    bash: (m) =>
      `bash ${m.pick(['-c', '-ec', '-xc', '-lc', '-ic', '-O extglob -c', '--posix -c', '--norc -c', '-e -c', '+x -c', '-cx', '-c --'])} ${quote(text)}${m.pick(['', '', ' x', ' x ../x', ' "$x"'])}`,
    sh: (m) =>
      `${m.pick(['sh', 'dash', '/bin/sh'])} ${m.pick(['-c', '-ec', '-e -c', '-ic', '-cu'])} ${quote(text)}${m.pick(['', ' x', ' x .env'])}`,
    eval: (m) => (m.chance(50) ? `eval ${quote(text)}` : `eval ${text}`),
    exec: () => `exec ${text}`,
    setsid: () => `setsid ${text}`,
    sudo: () => `sudo ${text}`,
    piped: (m) => `echo ${quote(text)} | ${m.pick(['sh', 'bash', 'bash -s', 'xargs -I{} sh -c {}'])}`,
    document: (m) => `${m.pick(['sh', 'bash'])} <<< ${quote(text)}`,
    assigned: (m) => `${assigned(m)} ${text}`,
    assigned2: (m) => `${m.chance(30) ? `${assigned(m)} ` : ''}${assigned(m)} ${text}`,
  });
}
