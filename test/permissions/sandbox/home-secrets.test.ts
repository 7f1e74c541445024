import { describe, expect } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
