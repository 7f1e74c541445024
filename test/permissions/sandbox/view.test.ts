import { describe, expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs } from '../../support/index.ts';
import { begin, type Room, room, run } from './support.ts';

const test = needs('bwrap');

function fill(directory: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `text of ${name}`);
  }
}

const listing = async (at: Room, command = 'ls -A ~') => (await run(at, command)).text.trim().split('\n');

describe('of the home a command finds', () => {
  test('entries without a dot and tool chains, nothing else that has a dot', async () => {
    const at = room();
    fill(at.userHome, [
      'notes.txt',
      'src/a',
      '.cargo/bin/x',
      '.npm/y',
      '.mystery/z',
      '.mystery-file',
      '.local/bin/p',
    ]);
    expect(await listing(at)).toEqual(['.cargo', '.local', '.npm', 'notes.txt', 'src']);
    expect(await listing(at, 'ls -A ~/.local')).toEqual(['bin']);
  });

  test('nothing that appears while it runs, if it has a dot', async () => {
    const at = room();
    fill(at.userHome, ['notes.txt']);
    const command = await begin(
      at,
      'until [ -e go ]; do :; done; ls -A ~ > list; mv list seen; tail -f /dev/null',
    );
    fill(at.userHome, ['.aws/credentials', '.netrc']);
    writeFileSync(join(at.cwd, 'go'), '');
    while (!existsSync(join(at.cwd, 'seen'))) await new Promise((resolve) => setImmediate(resolve));
    await command.end();
    expect(readFileSync(join(at.cwd, 'seen'), 'utf8')).toBe('notes.txt\n');
  });

  test('links as they are, and not what a hidden one leads to by its name', async () => {
    const at = room();
    fill(at.userHome, ['dotfiles/gitconfig', 'dotfiles/profile']);
    symlinkSync('dotfiles/gitconfig', join(at.userHome, '.gitconfig'));
    symlinkSync('dotfiles/profile', join(at.userHome, '.profile'));
    symlinkSync('dotfiles', join(at.userHome, 'link'));
    expect(await listing(at, 'ls -A ~; cat ~/link/gitconfig')).toEqual([
      ...['.gitconfig', 'dotfiles', 'link', 'text of dotfiles/gitconfig'],
    ]);
  });

  test('what the user adds', async () => {
    const settings = noSettings().sandbox;
    const at = room(settings);
    settings.filesystem.allowRead.push(join(at.userHome, '.mystery'), join(at.userHome, '.aws/config'));
    fill(at.userHome, ['.mystery/z', '.other/a', '.aws/credentials', '.aws/config']);
    expect(await listing(at, 'ls -A ~ ~/.aws')).toEqual([
      ...[`${at.userHome}:`, '.aws', '.mystery', '', `${at.userHome}/.aws:`, 'config'],
    ]);
  });

  const keys = [
    ...['.nvm/.npmrc', '.pyenv/.pypirc', '.cache/tool/token', '.cargo/registry/credentials', '.npm/id_rsa'],
    ...['id_rsa', 'id_ed25519', 'server.pem', 'tls.key', 'credentials.json'],
  ];
  const open = ['.nvm/nvm.sh', '.cache/pip/data', '.cache/uv/ca-bundle.pem', 'id_rsa.pub', 'ca.pem', 'notes'];

  for (const [size, more] of [
    ['few', 0],
    ['many', 60],
  ] as const)
    test(`no credentials by their usual names, in tool chains and at its top: of ${size} entries`, async () => {
      const at = room();
      const others = Array.from({ length: more }, (_, index) => `file-${index}`);
      fill(at.userHome, [...keys, ...open, ...others]);
      const read = async (names: string[]) =>
        (await run(at, `cd ~; cat ${names.join(' ')} 2> /dev/null`)).text;
      expect(await read(keys)).toBe('');
      expect(await read(open)).toBe(open.map((name) => `text of ${name}`).join(''));
      fill(at.userHome, ['.nvm/auth.json']);
      expect(await read(['.nvm/auth.json'])).toBe('');
    });

  test('the same where it has too many entries to show one by one', async () => {
    const at = room();
    fill(
      at.userHome,
      Array.from({ length: 60 }, (_, index) => `file-${index}`),
    );
    fill(at.userHome, ['.aws/credentials', '.netrc', '.cargo/credentials.toml', '.cargo/config.toml']);
    const { text } = await run(
      at,
      'cat ~/.aws/credentials ~/.netrc ~/.cargo/credentials.toml ~/.cadre/x; ls ~ | wc -l',
    );
    expect(text).not.toContain('text of');
    expect(text).toContain('\n60\n');
    expect((await run(at, 'cat ~/.cargo/config.toml ~/file-7')).text).toContain(
      'text of .cargo/config.tomltext of file-7',
    );
  });

  test('its project, where the home is the workspace, and no credentials', async () => {
    const at = room();
    fill(at.userHome, ['.github/a', 'src/b', '.aws/credentials', '.netrc', '.mystery/z']);
    const here = { ...at, cwd: at.userHome };
    expect((await run(here, 'cat .aws/credentials .netrc .mystery/z; ls -A ~/.cadre')).text).not.toContain(
      'text of',
    );
    expect((await run(here, 'cat src/b .github/a; echo new > src/c && cat src/c')).text).toBe(
      'text of src/btext of .github/anew\n',
    );
    expect(readFileSync(join(at.userHome, 'src/c'), 'utf8')).toBe('new\n');
  });

  test('a workspace that is in a hidden place', async () => {
    const at = room();
    fill(at.userHome, ['.dotfiles/nvim/init.lua', '.dotfiles-other/x']);
    const here = { ...at, cwd: join(at.userHome, '.dotfiles/nvim') };
    expect((await run(here, 'cat init.lua; echo x > made; ls ~/.dotfiles; ls -A ~')).text).toBe(
      'text of .dotfiles/nvim/init.luanvim\n.dotfiles\n',
    );
    const reading = await run(here, 'cat init.lua', { scope: { writes: 'none' } });
    expect(reading.text).toBe('text of .dotfiles/nvim/init.lua');
  });
});

describe('of our own directory a command finds', () => {
  test('outputs that it was told of, and nothing beside them', async () => {
    const at = room();
    fill(at.home, ['session/tool-results/out.txt', 'session/transcript', 'mcp-auth.json', 'keys.json']);
    const { text } = await run(
      at,
      `find ${at.home} -mindepth 1; cat ${at.home}/session/tool-results/out.txt`,
    );
    expect(text.trim().split('\n')).toEqual([
      ...['session', 'session/tool-results', 'session/tool-results/out.txt'].map((name) =>
        join(at.home, name),
      ),
      'text of session/tool-results/out.txt',
    ]);
    expect((await run(at, `echo x > ${at.home}/session/tool-results/out.txt`)).code).not.toBe(0);
  });

  test('no more of it where a setting shows the whole home', async () => {
    const settings = noSettings().sandbox;
    const at = room({ filesystem: settings.filesystem });
    settings.filesystem.allowRead.push(at.userHome);
    fill(at.userHome, ['.netrc', '.cadre/mcp-auth.json']);
    const { text } = await run(at, 'cat ~/.cadre/mcp-auth.json; cat ~/.netrc');
    expect(text).toContain('text of .netrc');
    expect(text).not.toContain('mcp-auth.json\n' + 'text');
    expect(text).toContain('No such file');
  });
});
