/** The coverage of a rule such as `Bash(npm test:*)` after the words that it spells out. */
export interface Runner {
  /** Options, as in a `ToolSpec`. Excludes everything that names a program, a plug-in, settings or another directory. */
  readonly flags: string;
  readonly values?: Readonly<Record<string, RegExp>> | undefined;
  /** Operands that are covered; absent means all. */
  readonly operands?: RegExp;
  /** Options after `--`, which go to the program that is run; `any` means all, absent means none. */
  readonly behind?: 'any' | string;
  /** `-name` and `--name` are the same. */
  readonly isGo?: true;
  /** Also checked under a rule that names only the program. */
  readonly always?: true;
}

const plainName = /^[\w.,:@-]+$/;
const noFileOfArguments = /^(?!@)/s;

const npm: Runner = {
  flags:
    '-s -q -d -dd -ddd -D -E -O -P -S -w: -ws -iwr --silent --quiet --verbose --loglevel: --if-present --workspace: ' +
    '--workspaces --include-workspace-root --no-color --color --json --no-audit --no-fund --no-progress --ignore-scripts ' +
    '--foreground-scripts --save-dev --save-exact --save-optional --save --no-save --legacy-peer-deps --force -f ' +
    '--omit: --include: --prefer-offline --offline --dry-run --production --no-optional --package-lock-only',
  values: { '--loglevel': plainName, '--omit': plainName, '--include': plainName },
  behind: 'any',
};

/** Options of test runners that scripts are given without `--`. */
const scriptFlags =
  '--watch --watchAll? --coverage? --silent -s --verbose --ci --bail? -b --run --reporter: -t: --testNamePattern: -u ' +
  '--updateSnapshot --update -g: --grep: --runInBand -i --maxWorkers: --json --color --no-color --passWithNoTests --fix ' +
  '--quiet --max-warnings: --noEmit --mode: --changed --only --project: --shard: --retry: --timeout: --testPathPattern: ' +
  '--forceExit --detectOpenHandles --if-present --production --prod --check --debug -v -q -w';

const script: Runner = {
  flags: scriptFlags,
  values: { '--reporter': plainName, '--project': plainName, '--mode': plainName },
  behind: 'any',
};

const testRunner: Runner = { ...script, always: true };

const cargo: Runner = {
  flags:
    '-q -v -vv -r --quiet --verbose --release --all --workspace --all-targets --lib --bins --bin: --example: --examples ' +
    '--test: --tests --bench: --benches --doc --no-run --no-fail-fast -p: --package: --exclude: -j# --jobs# --features: -F: ' +
    '--all-features --no-default-features --profile: --locked --offline --frozen --color: --message-format: --keep-going ' +
    '--ignore-rust-version --timings --no-deps --fix --allow-dirty --allow-staged --check --open --document-private-items',
};
const lints = '-W: -D: -A: -F: --no-deps';
const testBinary =
  '-q --nocapture --no-capture --test-threads# --ignored --include-ignored --exact --skip: --show-output --list --quiet --color: --format: --report-time --bench --test';

const go: Runner = {
  flags:
    '--run: --v --count# --short --race --cover --timeout: --bench: --benchmem --benchtime: --parallel# --p# --failfast ' +
    '--json --cpu: --shuffle: --list: --skip: --covermode: --coverpkg: --coverprofile> --cpuprofile> --memprofile> --trace> ' +
    '--o> --tags: --trimpath --n --x --a --vet: --fullpath --mod: --asan --msan --work --fuzz: --fuzztime: --buildvcs:',
  isGo: true,
};

const gradle: Runner = {
  flags:
    '-q -i -s -x: -a --info --quiet --stacktrace --rerun-tasks --tests: --continue --parallel --offline --daemon --no-daemon ' +
    '--console: --build-cache --no-build-cache --dry-run -m --exclude-task: --warning-mode: --fail-fast',
  operands: /^$/,
};

const tsc: Runner = {
  flags:
    '--noEmit --watch -w -p: --project: -b --build --pretty --strict --skipLibCheck --incremental --listFiles --showConfig ' +
    '--version -v --noEmitOnError --emitDeclarationOnly --declaration -d --target: -t: --module: -m: --jsx: --lib: ' +
    '--esModuleInterop --allowJs --checkJs --resolveJsonModule --moduleResolution: --diagnostics --extendedDiagnostics ' +
    '--traceResolution --explainFiles --force --dry --verbose --clean --preserveWatchOutput --sourceMap --isolatedModules ' +
    '--noUnusedLocals --noUnusedParameters --types: --composite --outDir> --declarationDir> --outFile> --tsBuildInfoFile>',
  operands: noFileOfArguments,
  always: true,
};

/** By program, and by program with subcommand, which comes first. `*` means every other subcommand. */
export const runners: Readonly<Record<string, Runner>> = {
  'npm *': npm,
  'yarn *': script,
  'pnpm *': script,
  'bun run': script,
  'bun test': {
    flags:
      '--watch --hot --coverage --timeout# -t: --test-name-pattern: --bail? --only --todo --rerun-each# --update-snapshots -u --concurrent --randomize --seed# --silent',
  },
  'bun *': { flags: '--silent --watch --production --frozen-lockfile --dev -d -D --exact --dry-run' },
  'make *': {
    flags:
      '-j? -k -s -n -B -q -w -i -S -d -O? -l? --jobs? --keep-going --silent --quiet --dry-run --just-print --always-make ' +
      '--no-print-directory --print-directory --output-sync? --trace --question --ignore-errors --warn-undefined-variables',
    values: { '-j': /^\d*$/, '--jobs': /^\d*$/, '-l': /^[\d.]*$/, '-O': /^\w*$/, '--output-sync': /^\w*$/ },
    // The number of -j; any other word is another target or sets a variable, such as the shell.
    operands: /^\d+$/,
  },
  'cargo test': { ...cargo, behind: testBinary },
  'cargo nextest': cargo,
  'cargo bench': { ...cargo, behind: testBinary },
  'cargo clippy': { ...cargo, behind: lints },
  'cargo run': { ...cargo, behind: 'any' },
  'cargo fmt': { ...cargo, behind: '--check -v -q --verbose --quiet' },
  'cargo *': cargo,
  'go *': go,
  'pytest *': {
    flags:
      '-q -v -s -x -l -k: -m: -n: -r: --lf --ff --nf --sw --stepwise --last-failed --failed-first --new-first --cache-clear ' +
      '--maxfail# --tb: --durations# --durations-min# --co --collect-only --no-header --no-summary --color: --capture: ' +
      '--show-capture: --verbosity# --strict-markers --disable-warnings --showlocals --exitfirst --junitxml> --junit-xml> ' +
      '--cov? --cov-report: --no-cov --cov-fail-under# --cov-branch --cov-append --numprocesses: --dist: --reruns# --timeout# ' +
      '--ignore: --ignore-glob: --deselect: --asyncio-mode: --runxfail --snapshot-update --benchmark-skip --full-trace --setup-show --fixtures --markers',
    values: { '--cov-report': /^[a-z-]+$/, '-n': plainName, '-r': /^\w+$/ },
    operands: noFileOfArguments,
    always: true,
  },
  'mvn *': {
    flags:
      '-q -B -e -U -o -T: -pl: -am -amd -N -D: --quiet --batch-mode --errors --update-snapshots --offline --no-transfer-progress -ntp --fail-at-end -fae --also-make --projects:',
    values: {
      '-D': /^(?:test|it\.test|skipTests|skipITs|maven\.test\.skip|surefire\.failIfNoSpecifiedTests)(?:=[\w.,*#!+$-]*)?$/,
    },
    operands: /^$/,
  },
  'gradle *': gradle,
  'gradlew *': gradle,
  'dotnet *': {
    flags:
      '-c: -f: -v: --configuration: --framework: --verbosity: --no-build --no-restore --nologo --filter: --list-tests -t --blame',
  },
  'just *': { flags: '-q -v -n --quiet --verbose --dry-run --color:' },
  'deno *': {
    flags: '--watch --filter: --coverage? --parallel --fail-fast -q --quiet --no-check --check --no-run',
  },
  'tsc *': tsc,
  'jest *': testRunner,
  'vitest *': testRunner,
  'mocha *': testRunner,
  'eslint *': {
    flags:
      '--fix --fix-dry-run --quiet --ext: --max-warnings# --cache --no-cache --color --no-color -o> --output-file> ' +
      '--report-unused-disable-directives --no-error-on-unmatched-pattern --rule: --no-warn-ignored --ignore-pattern: -f: --format:',
    values: { '-f': plainName, '--format': plainName },
    always: true,
  },
  'prettier *': {
    flags:
      '--check -c --write -w -l --list-different --log-level: --loglevel: --ignore-unknown -u --cache --no-config --no-color --no-error-on-unmatched-pattern',
    always: true,
  },
};
