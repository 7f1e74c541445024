import { expect, test } from 'bun:test';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { tarWriter } from '../../src/shell/tables/transfers.data.ts';
import { writers } from '../../src/shell/tables/writers.data.ts';
import { temporaryDirectory } from '../support/index.ts';
import { openGround, reading, textFlags } from './text-values.ts';

test('a program that is in two tables has the same forms of values in both', () => {
  const different = Object.entries({ ...writers, tar: tarWriter }).flatMap(([name, writer]) => {
    const spec = Object.hasOwn(reading, name) ? reading[name] : undefined;
    const flags = new Set(textFlags(writer.flags));
    return Object.entries(spec?.values ?? {}).flatMap(([flag, form]) =>
      flags.has(flag) && writer.values?.[flag]?.source !== form.source ? [`${name} ${flag}`] : [],
    );
  });
  expect(different).toEqual([]);
});

test('a rule for a program does not let its text name a file that another rule refuses', () => {
  const { on } = openGround(temporaryDirectory().path);
  const lines = [
    ...['iconv -f ./.env -t utf8 a.txt', `touch -d 'TZ="./.env" 2020-01-01' a.txt`, 'curl -z .env http://x/'],
    ...[`tar --mtime='TZ="./.env" 2020-01-01' -cf x.tar a.txt`, 'tar --mtime=./.env -cf x.tar a.txt'],
    ...[
      `find . -newermt 'TZ="./.env" 2020-01-01' -delete`,
      'curl -z -.env http://x/',
      'getconf PATH_MAX .env',
    ],
    'realpath --relative-to=.env a.txt',
  ];
  for (const more of [
    { allow: lines.map((line) => `Bash(${line.split(' ')[0]}:*)`) },
    { mode: 'bypassPermissions' as const },
  ])
    for (const line of lines)
      expect([line, on(line, { deny: ['Read(.env)'], ...more }) === 'allow']).toEqual([line, false]);
});

test('curl does not read the names and passwords of other hosts under a rule for curl', () => {
  const { on } = openGround(temporaryDirectory().path);
  for (const line of ['curl -n http://x/', 'curl -sSnL http://x/', 'curl --netrc http://x/'])
    for (const more of [{ allow: ['Bash(curl:*)'] }, { allow: ['Bash(curl:*)'], deny: ['Read(~/.netrc)'] }])
      expect([line, on(line, more)]).toEqual([line, 'ask']);
  expect(on('curl -n http://x/', { mode: 'bypassPermissions', deny: ['Read(~/.netrc)'] })).not.toBe('allow');
  expect(on('curl -sSL http://x/', { allow: ['Bash(curl:*)'] })).toBe('allow');
});

test('curl reads ldaprc of its directory whatever it is asked', () => {
  const { cwd, path, on } = openGround(temporaryDirectory().path);
  const granted = { allow: ['Bash(curl:*)'], deny: [`Read(/${path}/canary)`] };
  expect([on('curl --version'), on('curl http://x/', granted)]).toEqual(['allow', 'allow']);
  symlinkSync(join(path, 'canary'), join(cwd, 'ldaprc'));
  expect([on('curl --version'), on('curl http://x/', granted)]).toEqual(['ask', 'deny']);
});

test('the files of the user are not reached in any mode', () => {
  const { userHome, on } = openGround(temporaryDirectory().path);
  const keys = join(userHome, '.cadre/keys.json');
  for (const line of [`find . -newermt 'TZ="${keys}" 2020-01-01'`, `touch -d 'TZ="${keys}" now' a.txt`])
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect([line, on(line, { mode, allow: ['Bash'] })]).toEqual([line, 'deny']);
});

test('ordinary values stay free', () => {
  const { on } = openGround(temporaryDirectory().path);
  const lines = [
    ...['find . -newermt 2024-01-01', "find . -newermt '2 days ago'", 'find . -mtime -1', 'curl --version'],
    ...[
      'date -d yesterday',
      'iconv -f latin1 -t utf8 a.txt',
      'realpath --relative-to=. sub/a',
      'getconf PATH_MAX',
    ],
    ...["date -d '2024-01-01 10:00' +%s", 'getconf PATH_MAX .', 'kill -l 9', 'kill -l'],
  ];
  for (const line of lines) expect([line, on(line)]).toEqual([line, 'allow']);
  const granted = [
    ...['touch -d 2020-01-01 a.txt', "touch -d '2 days ago' a.txt", 'curl -z 2024-01-01 http://x/'],
    ...["curl -z 'Tue, 3 Jan 2024 10:00:00' http://x/", 'tar --mtime=2020-01-01 -cf x.tar a.txt'],
    'iconv -f latin1 -t utf8 -o b.txt a.txt',
  ];
  for (const line of granted)
    expect([line, on(line, { allow: [`Bash(${line.split(' ')[0]}:*)`] })]).toEqual([line, 'allow']);
});
