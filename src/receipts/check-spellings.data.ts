/**
 * Other words for the same run of a check. A flag is here only if the run is of the same tests, files or rules, and its exit code
 * means the same. `*` is any ending; behind a blank it is the next word, and `#` a number there.
 */
export interface Spelling {
  programs: readonly string[];
  flags: readonly string[];
  /** The same behind `--`. */
  later?: readonly string[];
}

/** Words at the start that mean others. The first that fits is taken, again and again. */
export const sameWords: readonly (readonly [string, string])[] = [
  ['npm t', 'npm test'],
  ['npm tst', 'npm test'],
  ['npm run-script', 'npm run'],
  ['npm run test', 'npm test'],
  ['pnpm run', 'pnpm'],
  ['pnpm t', 'pnpm test'],
  ['yarn run', 'yarn'],
  ['python -m', ''],
  ['python3 -m', ''],
  ['py.test', 'pytest'],
  ['ruff check .', 'ruff check'],
];

/** In front of a program: it runs as without them. */
export const launchers: readonly string[] = ['uv run', 'poetry run', 'pdm run'];

/** Variables that change how output looks, and no more. */
export const harmlessVariables: readonly string[] = [
  ...['CI', 'NO_COLOR', 'FORCE_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'TERM', 'COLUMNS'],
  ...['CARGO_TERM_COLOR', 'RUST_BACKTRACE', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE'],
];

const quiet = ['-q', '--quiet', '-v', '--verbose'];

export const spellings: readonly Spelling[] = [
  {
    // The others give their own flags to the script, too.
    programs: ['npm'],
    flags: ['-s', '--silent', '--color', '--no-color', '--no-fund', '--no-audit', '--loglevel=*'],
  },
  {
    programs: ['pytest'],
    flags: [
      ...quiet,
      ...['-qq', '-vv', '-vvv', '-s', '-l', '-x', '-r*', '--exitfirst', '--maxfail=*', '--full-trace'],
      ...['--tb=*', '--tb *', '--color=*', '--color *', '--no-header', '--no-summary', '--showlocals'],
      ...[
        '--capture=*',
        '--durations=*',
        '--disable-warnings',
        '--cache-clear',
        '--ff',
        '-p no:cacheprovider',
      ],
      ...['-n #', '-n auto', '--cov', '--cov=*', '--cov-report=*', '--junitxml=*'],
    ],
  },
  {
    programs: ['cargo'],
    flags: [
      ...quiet,
      ...['-vv', '--color=*', '--color *', '--locked', '--offline', '--frozen', '--no-fail-fast'],
      ...['--workspace', '--all', '-j #', '-j*', '--jobs #', '--jobs=*'],
    ],
    later: ['--nocapture', '--no-capture', '--show-output', '--test-threads=*', '--test-threads #', '-q'],
  },
  {
    programs: ['go'],
    flags: [
      ...['-v', '-race', '-failfast', '-json', '-cover', '-covermode=*', '-coverprofile=*', '-shuffle=*'],
      ...['-count=*', '-count #', '-timeout=*', '-timeout *', '-parallel=*', '-parallel #'],
    ],
  },
  {
    programs: ['make'],
    flags: [
      ...['-s', '--silent', '--quiet', '-j', '-j*', '-j #', '--jobs=*', '-k', '--keep-going'],
      ...['--no-print-directory', '-w', '--print-directory', '-O', '--output-sync', '--output-sync=*'],
    ],
  },
  {
    programs: ['mypy', 'pyright', 'ruff', 'flake8', 'tox'],
    flags: [
      ...quiet,
      ...['--pretty', '--no-pretty', '--no-error-summary', '--no-color-output', '--show-error-codes'],
      ...['--no-cache', '--output-format=*', '--output-format *', '--color=*'],
    ],
  },
  { programs: ['just', 'deno'], flags: ['-q', '--quiet'] },
  { programs: ['dotnet'], flags: ['--nologo', '--no-restore', '-v *', '--verbosity *', '--verbosity=*'] },
  {
    programs: ['mvn', './mvnw', 'gradle', './gradlew'],
    flags: [
      ...['-q', '--quiet', '-B', '--batch-mode', '-ntp', '--no-transfer-progress', '-e', '-X', '-U', '-o'],
      ...['--offline', '--info', '--stacktrace', '--no-daemon', '--console=*', '--warning-mode=*'],
    ],
  },
];
