import { expect, test } from 'bun:test';
import { HarnessCommands } from '../../src/hooks/harness-commands.ts';
import { readCommandWords } from '../../src/places/command-words.ts';
import { findOwnScripts } from '../../src/places/own-scripts.ts';
import { findRunnerTargets } from '../../src/places/runner-targets.ts';
import { temporaryDirectory } from '../support/index.ts';

test.each([
  [
    'npx -y @foo/server .',
    ['node_modules/.bin/server', 'node_modules/.bin/@foo/server', 'node_modules/@foo/server'],
  ],
  ['npx server@1.2', ['node_modules/.bin/server', 'node_modules/.bin/server@1.2', 'node_modules/server']],
  [
    'npx --package=@foo/cli serve',
    ['node_modules/@foo/cli', 'node_modules/.bin/serve', 'node_modules/serve'],
  ],
  ["sh -c 'exec npx serve'", ['node_modules/.bin/serve']],
  ['npm exec serve', ['node_modules/.bin/serve']],
  ['/usr/bin/bunx serve', ['node_modules/serve']],
  ['python3 -m server', ['server.py', 'server']],
  ['python3.11 -u -m server.main', ['server.py', 'server']],
  ['uvx server', ['uv.toml']],
])('what takes the place of a program that is looked for is found: %s', (command, places) => {
  const found = findRunnerTargets(command, '/w');
  for (const place of places) expect(found).toContain(`/w/${place}`);
});

test.each(['npm test', 'npm run serve', 'python3 tools/x.py -m server', 'node server.js', 'docker run -i x'])(
  'a command that looks for nothing by a name has none: %s',
  (command) => {
    expect(findRunnerTargets(command, '/w')).toEqual([]);
  },
);

test('G9 what `npx` would run for an MCP server is protected, before it exists; for a gate and a hook it is not', () => {
  const { path } = temporaryDirectory();
  const own = new HarnessCommands({
    hooks: [],
    statusLine: undefined,
    worktree: { gate: 'npx gate' },
    origin: new Map(),
  } as unknown as ConstructorParameters<typeof HarnessCommands>[0]);
  own.setServers([
    {
      name: 's',
      source: 'mcp.json',
      transport: { type: 'stdio', command: 'npx', args: ['-y', '@foo/server'] },
    },
  ] as unknown as Parameters<HarnessCommands['setServers']>[0]);
  own.addHooks([{ type: 'command', command: 'npx hook' }], 'agent.md');
  const found = findOwnScripts(own.list(), [path], { userHome: '/nowhere', readWords: readCommandWords });
  expect(found.map((one) => one.path)).toContain(`${path}/node_modules/@foo/server`);
  expect(found.filter((one) => /gate|hook/.test(one.path))).toEqual([]);
});
