import { expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeToOthers } from '../../src/lib/files/private-home.ts';
import { needsThat, nobody, temporaryDirectory } from '../support/index.ts';

const asRoot = needsThat(process.getuid?.() === 0, 'root, who can give files away');

function newHome(): string {
  const home = join(temporaryDirectory().path, 'home');
  mkdirSync(home, { mode: 0o700 });
  return home;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('a home that others may enter or write is closed, and so are settings that they may write', () => {
  const home = newHome();
  const settings = join(home, 'settings.json');
  writeFileSync(settings, '{}');
  chmodSync(settings, 0o666);
  chmodSync(home, 0o777);
  expect(closeToOthers(home)).toEqual({ ok: true, value: undefined });
  expect([modeOf(home), modeOf(settings)]).toEqual(['700', '644']);
});

test('a home that does not exist yet, and a link that leads nowhere, are no problem', () => {
  const home = newHome();
  symlinkSync('/no/such/file', join(home, 'settings.json'));
  expect(closeToOthers(home).ok).toBe(true);
  expect(closeToOthers(join(home, 'later')).ok).toBe(true);
});

test('a file where a directory that everything needs belongs is wrong configuration, named with what to do', () => {
  for (const name of ['projects', 'running']) {
    const home = newHome();
    writeFileSync(join(home, name), '');
    const { problem } = closeToOthers(home) as { problem?: unknown };
    expect(problem).toEqual({
      kind: 'usage',
      message: `${join(home, name)} is a file, and Cadre keeps a directory of that name there.`,
      hint: 'Move it away, or set CADRE_HOME to another directory.',
    });
  }
});

asRoot('a home of another user is refused by name, with what to do', () => {
  const home = newHome();
  chownSync(home, nobody, nobody);
  expect(closeToOthers(home)).toMatchObject({
    ok: false,
    problem: {
      kind: 'usage',
      message: `${home} belongs to another user (uid ${nobody}), who could change what Cadre does for you.`,
      hint: expect.stringContaining('CADRE_HOME'),
    },
  });
});

asRoot('settings of another user in our home are refused by name, also through a link', () => {
  const home = newHome();
  const settings = join(home, 'settings.json');
  writeFileSync(settings, '{"hooks":{}}');
  chownSync(settings, nobody, nobody);
  expect(JSON.stringify(closeToOthers(home))).toContain(`${settings} belongs to another user`);
  const other = newHome();
  symlinkSync(settings, join(other, 'settings.json'));
  expect(JSON.stringify(closeToOthers(other))).toContain('belongs to another user');
});

test('a directory that is not a home, such as one of the system, is left as it is', () => {
  const other = newHome();
  writeFileSync(join(other, 'hostname'), '');
  chmodSync(other, 0o755);
  expect(closeToOthers(other).ok).toBe(true);
  expect(modeOf(other)).toBe('755');
});
