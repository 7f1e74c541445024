import { expect, test } from 'bun:test';
import { type Case, judge, shell } from './cases.ts';

const allow = ['Bash(make test)', 'Bash(make test:*)', 'Bash(./test.sh)', 'Bash(npm test:*)'];
const verdict = (command: string, more: Partial<Case> = {}) =>
  judge({ accesses: [shell(command)], allow, ...more }).behaviour;

const names = [
  ...[
    'CI',
    'DEBUG',
    'VERBOSE',
    'NODE_ENV',
    'RUST_LOG',
    'RUST_BACKTRACE',
    'COLUMNS',
    'LINES',
    'FORCE_COLOR',
    'TZ',
  ],
  ...[
    'NO_COLOR',
    'CLICOLOR',
    'LS_COLORS',
    'GREP_COLORS',
    'GOOS',
    'GOARCH',
    'CGO_ENABLED',
    'LANG',
    'LC_ALL',
    'TERM',
  ],
  ...['PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'LANGUAGE', 'LC_X'],
];

/** What make, a shell or a program would evaluate, follow or load. */
const evaluated = [
  ...[
    "'$(shell touch x)'",
    `'\${shell touch x}'`,
    "'a[$(touch x)]'",
    "'`touch x`'",
    "'1;touch x'",
    "'1 2'",
    "'../x'",
  ],
  ...["'/tmp/x'", "'x{1,2}'", "'--eval=x'", "'PATH=0'", '"$(cat f)"', '"$x"', "'a\nb'", '(1)', "'@x'"],
];

test('a variable set for an allowed command has a value that can only be data', () => {
  for (const name of names)
    for (const value of evaluated) {
      const set = `${name}=${value}`;
      for (const line of [`${set} make test`, `${set} ./test.sh`, `${set}; make test`, `${set} && make test`])
        expect([line, verdict(line)]).toEqual([line, 'ask']);
      for (const line of [
        `env ${set} make test`,
        `timeout 5 env ${set} npm test`,
        `export ${set}; make test`,
      ])
        expect([line, verdict(line)]).toEqual([line, 'ask']);
    }
});

test('a flag does not take the name of another variable, which arithmetic would follow', () => {
  for (const name of ['CI', 'DEBUG', 'VERBOSE', 'FORCE_COLOR', 'RUST_BACKTRACE', 'COLUMNS'])
    for (const value of ['line', '_', 'PATH', 'x-1', 'i++'])
      expect([name, value, verdict(`${name}=${value} ./test.sh`)]).toEqual([name, value, 'ask']);
});

test('settings of everyday life stay free', () => {
  const lines = [
    ...[
      'CI=1',
      'CI=true',
      'CI=',
      'DEBUG=1',
      'DEBUG=app:*',
      'DEBUG=pw:api,vite:*',
      'VERBOSE=1',
      'NODE_ENV=test',
    ],
    ...[
      'RUST_LOG=debug',
      'RUST_LOG=info,my_crate::db=trace',
      'RUST_BACKTRACE=full',
      'COLUMNS=200',
      'FORCE_COLOR=0',
    ],
    ...[
      'LC_ALL=C',
      'LANG=en_US.UTF-8',
      'LC_ALL=C.UTF-8',
      'TZ=UTC',
      'TZ=Europe/Berlin',
      'TERM=xterm-256color',
    ],
    ...[
      'GOOS=linux GOARCH=arm64 CGO_ENABLED=0',
      'NO_COLOR=1',
      "GREP_COLORS='mt=01;31'",
      'LANGUAGE=en',
      'TERM=dumb',
    ],
  ].flatMap((set) => [`${set} npm test`, `${set}; npm test`, `env ${set.replace('*', 'x')} npm test`]);
  for (const line of lines) expect([line, verdict(line)]).toEqual([line, 'allow']);
});

test('a locale in which a backslash can be half a letter is asked about', () => {
  const locales = [
    ...['zh_CN.GBK', 'zh_CN.gb18030', 'zh_TW.BIG5', 'zh_HK.BIG5-HKSCS', 'ja_JP.SJIS', 'ja_JP.SHIFT_JIS'],
    ...['ko_KR.JOHAB', 'zh_TW', 'zh_CN.GBK@x', 'japanese', 'x.UTF-8.GBK'],
  ];
  for (const name of ['LC_ALL', 'LC_CTYPE', 'LANG', 'LC_MESSAGES'])
    for (const locale of locales)
      for (const rest of [
        ' ls',
        '; ls',
        '\necho "表\\"; touch pwn; "',
        ` sed 's/h/表\\/;1e touch pwn #/' a.txt`,
      ])
        for (const line of [`${name}=${locale}${rest}`, `env ${name}=${locale}${rest}`])
          expect([line, verdict(line)]).toEqual([line, 'ask']);
  for (const locale of ['', 'C', 'POSIX', 'C.utf8', 'zh_CN.UTF-8', 'de_DE.utf8@euro', 'en_US.Utf-8'])
    expect([locale, verdict(`LC_ALL=${locale} ls`)]).toEqual([locale, 'allow']);
});
