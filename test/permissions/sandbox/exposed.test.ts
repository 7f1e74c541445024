import { describe, expect } from 'bun:test';
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rule } from '../../../src/protocol/permission.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs } from '../../support/index.ts';
import { begin, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

const deny = (specifier: string): Rule => ({
  behaviour: 'deny',
  tool: 'Read',
  specifier,
  layer: 'project',
  source: 'x.json',
  base: '/',
});

/** How another program puts a file with a secret in its place. */
const saves: Record<
  string,
  { rule: string; files: Record<string, string>; save(path: (name: string) => string): void }
> = {
  'saved by a rename': {
    rule: 'sub/.env',
    files: { 'sub/.env': 'old' },
    save(path) {
      writeFileSync(path('sub/new'), 'topsecret');
      renameSync(path('sub/new'), path('sub/.env'));
    },
  },
  'removed and written again': {
    rule: 'sub/.env',
    files: { 'sub/.env': 'old' },
    save(path) {
      unlinkSync(path('sub/.env'));
      writeFileSync(path('sub/.env'), 'topsecret');
    },
  },
  'first created': {
    rule: 'sub/.env',
    files: { 'sub/x': '' },
    save: (path) => writeFileSync(path('sub/.env'), 'topsecret'),
  },
  'first created with its directory': {
    rule: 'sub/.env',
    files: { x: '' },
    save(path) {
      mkdirSync(path('sub'));
      writeFileSync(path('sub/.env'), 'topsecret');
    },
  },
  'first created and fits a pattern': {
    rule: '*.key',
    files: { x: '' },
    save: (path) => writeFileSync(path('a.key'), 'topsecret'),
  },
  'in a directory that was replaced': {
    rule: 'sub/**',
    files: { 'sub/.env': 'old' },
    save(path) {
      renameSync(path('sub'), path('gone'));
      mkdirSync(path('sub'));
      writeFileSync(path('sub/.env'), 'topsecret');
    },
  },
  'behind a link that leads elsewhere now': {
    rule: 'sub/.env',
    files: { 'sub/old': 'old', 'sub/next': 'topsecret' },
    save(path) {
      symlinkSync('next', path('sub/link'));
      renameSync(path('sub/link'), path('sub/.env'));
    },
  },
};

const read = 'while :; do cat sub/.env .env *.key; sleep 0.01; done 2>/dev/null';

describe('a hidden file that is', () => {
  for (const [how, { rule, files, save }] of Object.entries(saves))
    for (const writes of ['workspace', 'none'] as const)
      test(`${how} ends a command that may write ${writes}, and nothing of it is printed`, async () => {
        const at = room();
        put(at, files);
        if (how.includes('link')) symlinkSync('old', join(at.cwd, 'sub/.env'));
        const command = await begin(at, read, { rules: [deny(rule)], writes });
        save((name) => join(at.cwd, name));
        await command.ended;
        expect(command.text()).not.toContain('topsecret');
        const said = (await command.end()).join();
        expect(said).toContain(`the deny rule Read(${rule})`);
        expect(said).toContain('its output since then is withheld');
        expect(at.notices.join()).toContain('was created or replaced while the command ran');
        const again = await run(at, 'cat sub/.env .env *.key', { scope: { rules: [deny(rule)], writes } });
        expect(again.text).not.toContain('topsecret');
      });

  test('created ends a command that prints nothing', async () => {
    const at = room();
    const command = await begin(at, 'tail -f /dev/null', { rules: [deny('./a')] });
    put(at, { a: 'topsecret' });
    await command.ended;
    expect((await command.end()).join()).toContain('It was stopped');
  });
});

describe('a command is not ended', () => {
  const quiet = async (at: Room, rule: string, change: () => void) => {
    const command = await begin(at, 'until [ -e go ]; do sleep 0.02; done; echo done', {
      rules: [deny(rule)],
    });
    change();
    put(at, { go: '' });
    await command.ended;
    expect(command.text()).toContain('done');
    expect(await command.end()).toEqual([]);
  };

  test('when a hidden file is written in place', async () => {
    const at = room();
    put(at, { 'sub/.env': 'old' });
    await quiet(at, 'sub/.env', () => put(at, { 'sub/.env': 'topsecret' }));
  });

  test('when a hidden file is removed', async () => {
    const at = room();
    put(at, { 'sub/.env': 'old' });
    await quiet(at, 'sub/.env', () => rmSync(join(at.cwd, 'sub/.env')));
  });

  test('when files change in a hidden directory', async () => {
    const at = room();
    put(at, { 'sub/.env': 'old' });
    await quiet(at, 'sub/**', () => put(at, { 'sub/new': 'topsecret' }));
  });

  test('when other files appear', async () => {
    const at = room();
    await quiet(at, '*.key', () => put(at, { 'a.txt': '' }));
  });

  test('when a file appears where nothing can be read', async () => {
    const at = room();
    await quiet(at, `/${join(at.userHome, '.ssh/id')}`, () => {
      mkdirSync(join(at.userHome, '.ssh'));
      writeFileSync(join(at.userHome, '.ssh/id'), 'key');
    });
  });

  test('when a file appears that settings show', async () => {
    const filesystem = { ...noSettings().sandbox.filesystem };
    const at = room({ filesystem });
    filesystem.allowRead = [at.cwd];
    await quiet(at, 'sub/.env', () => put(at, { 'sub/.env': 'shown' }));
  });
});
