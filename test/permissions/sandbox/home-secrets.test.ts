import { describe, expect } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noSettings } from '../../../src/settings/merge.ts';
import { parseRule } from '../../../src/settings/rules.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { room, roomIn, run } from './support.ts';

const test = needs('bwrap');

const secrets = [
  ...[
    '.local/share/uv/credentials/credentials.toml',
    '.stack/upload/credentials.json',
    '.nimble/github_api_token',
  ],
  ...['.opam/plugins/opam-publish/default.token', '.dotnet/corefx/cryptography/x509stores/my/1.pfx'],
  ...[
    '.cache/huggingface/token',
    '.cache/huggingface/stored_tokens',
    '.cache/gh/token',
    '.cache/unknown/session',
  ],
  ...['.cache/mozilla/x', '.cache/mutt/mail', '.cache/pip/token', '.cache/.hidden-token', '.cache/file'],
  ...[
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gradle/gradle.properties',
    '.gradle/init.d/x.gradle',
  ],
  ...[
    '.m2/settings.xml',
    '.m2/settings-security.xml',
    '.ivy2/.credentials',
    '.sbt/.credentials',
    '.sbt/1.0/x.sbt',
  ],
  ...['.pub-cache/credentials.json', '.pub-cache/pub-tokens.json', '.bundle/config', '.gem/credentials'],
  ...[
    '.local/share/gem/credentials',
    '.composer/auth.json',
    '.config/composer/auth.json',
    '.nuget/NuGet/NuGet.Config',
  ],
  ...['.npm/_logs/log', '.terraform.d/credentials.tfrc.json', '.config/gh/hosts.yml', '.config/anything/x'],
  ...[
    '.config/dart/pub-credentials.json',
    '.local/share/keyrings/x',
    '.local/share/anything',
    '.local/state/x',
  ],
  ...['.julia/servers/x/auth.toml', '.julia/logs/repl_history.jl', '.hex/hex.config', '.cabal/config'],
  ...[
    '.coursier/credentials.properties',
    '.rye/config.toml',
    '.cpan/CPAN/MyConfig.pm',
    '.config/git/credentials',
  ],
  ...[
    '.npmrc',
    '.yarnrc.yml',
    '.pypirc',
    '.netrc',
    '.condarc',
    '.kaggle/kaggle.json',
    '.pulumi/credentials.json',
  ],
  ...['.nvm/versions/node/v22.1.0/etc/npmrc', '.bun/install/global/.npmrc', '.npm-global/etc/npmrc'],
  ...['.local/share/mise/installs/node/22/etc/npmrc', '.pyenv/versions/3.12.1/pip.conf'],
];

const open = [
  '.cargo/bin/x',
  '.cache/pip/http/x',
  '.cache/uv/x',
  '.cache/huggingface/hub/x',
  '.m2/repository/x',
  '.npm/_cacache/x',
];

function fill(home: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), 'text of a secret');
  }
}

const shownOf = 'for f in "$@"; do [ "$(cat "$HOME/$f" 2>/dev/null)" ] && echo "$f"; done; true';

for (const [home, more] of [
  ['a home', []],
  ['a home with many entries', Array.from({ length: 40 }, (_, index) => `entry${index}/x`)],
] as const)
  describe(home, () => {
    test('secrets in tool chains and caches are not there, tool chains and caches are', async () => {
      const at = room();
      fill(at.userHome, [...secrets, ...open, ...more]);
      writeFileSync(join(at.cwd, 'look.sh'), shownOf);
      const { text } = await run(at, `bash look.sh ${[...secrets, ...open].join(' ')}`);
      expect(text.split('\n').filter((line) => line !== '')).toEqual(open);
    });
  });

test('caches that the user moved, and variables that name secrets', async () => {
  const { path } = temporaryDirectory();
  const home = join(path, 'user');
  const at = roomIn(path, {}, { XDG_CACHE_HOME: join(home, 'caches'), STACK_ROOT: join(home, 'stack') });
  fill(home, ['caches/huggingface/token', 'stack/upload/x', 'caches/other']);
  const { text } = await run(at, 'cat ~/caches/huggingface/token ~/stack/upload/x ~/caches/other; true');
  expect(text.match(/text of a secret/g)).toHaveLength(1);
});

describe('a hidden file that a person has allowed to be read', () => {
  const reveal = async (at: ReturnType<typeof room>, command: string, ...names: string[]) =>
    (await run(at, command, { scope: { shows: names.map((name) => join(at.userHome, name)) } })).text;
  const filled = (settings: Parameters<typeof room>[0] = {}, environment: Record<string, string> = {}) => {
    const at = room(settings, environment);
    for (const name of ['.ssh/id_rsa', '.ssh/config', '.netrc', '.cargo/credentials', '.cadre/keys.json']) {
      mkdirSync(dirname(join(at.userHome, name)), { recursive: true });
      writeFileSync(join(at.userHome, name), `text of ${name}\n`);
    }
    return at;
  };

  for (const name of ['.ssh/config', '.netrc', '.cargo/credentials'])
    test(`is there, read-only, and no other is: ${name}`, async () => {
      const probe = 'cat ~/.ssh/* ~/.netrc ~/.cargo/credentials 2>/dev/null; ';
      expect(await reveal(filled(), `${probe} : >> ~/${name}`, name)).toMatch(
        new RegExp(`^text of ${name}\n.*Read-only file system`),
      );
    });

  test('a directory is there with all in it but what a setting denies', async () => {
    const deny = noSettings().sandbox;
    const rule = parseRule('Read(~/.ssh/id_rsa)', 'deny', 'user', 'settings', '/');
    if (!rule.ok) throw new Error(rule.problem.message);
    const at = filled({ filesystem: { ...deny.filesystem, denyRead: [rule.value] } });
    const text = await reveal(at, 'ls ~/.ssh; cat ~/.ssh/*', '.ssh');
    expect(text).toContain('text of .ssh/config');
    expect(text).not.toContain('text of .ssh/id_rsa');
  });

  test('is not what holds our own keys', async () => {
    expect(await reveal(filled(), 'cat ~/.cadre/keys.json', '.cadre', '.cadre/keys.json')).not.toContain(
      'text',
    );
  });

  test('is not where a link leads that took its place', async () => {
    const at = filled();
    rmSync(join(at.userHome, '.netrc'));
    symlinkSync(join(at.userHome, '.ssh/id_rsa'), join(at.userHome, '.netrc'));
    expect(await reveal(at, 'cat ~/.netrc ~/.ssh/id_rsa', '.netrc')).not.toContain('text');
  });

  for (const directory of ['.dotfiles', 'dotfiles'])
    test(`is there by the name of a link into ${directory} that was allowed with it`, async () => {
      const at = filled();
      mkdirSync(join(at.userHome, directory));
      writeFileSync(join(at.userHome, directory, 'pgpass'), 'text of pgpass\n');
      symlinkSync(`${directory}/pgpass`, join(at.userHome, '.pgpass'));
      expect(await reveal(at, 'cat ~/.pgpass', '.pgpass')).not.toContain('text');
      const text = await reveal(at, `cat ~/.pgpass; ls ~/${directory}`, '.pgpass', `${directory}/pgpass`);
      expect(text).toBe('text of pgpass\npgpass\n');
    });

  test('is there where the home itself is behind a link', async () => {
    const at = filled();
    const home = join(dirname(at.userHome), 'moved');
    symlinkSync(at.userHome, home);
    const scope = { shows: [join(at.userHome, '.netrc'), join(home, '.netrc')] };
    expect((await run(at, 'cat ~/.netrc', { scope })).text).toBe('text of .netrc\n');
  });

  test('in the workspace stays read-only', async () => {
    const path = temporaryDirectory().path;
    const file = join(path, 'work/kube');
    const at = roomIn(path, {}, { KUBECONFIG: file });
    writeFileSync(file, 'text of kube\n');
    expect((await run(at, 'cat kube')).text).not.toContain('text');
    const { text } = await run(at, 'cat kube; : >> kube', { scope: { shows: [file] } });
    expect(text).toMatch(/^text of kube\n.*Read-only file system/);
  });
});
