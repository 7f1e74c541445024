import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMisspelt } from '../../src/hooks/matcher.ts';
import type { ServerConfig } from '../../src/mcp/config.ts';
import { findServerRefusal, isSwitchedOff } from '../../src/mcp/policy.ts';
import { findMisspeltTool } from '../../src/settings/known-tools.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/load.ts';
import { temporaryDirectory } from '../support/index.ts';

async function load(settings: object): Promise<LoadedSettings> {
  const { path: top } = temporaryDirectory();
  mkdirSync(join(top, '.cadre'));
  writeFileSync(join(top, '.cadre/settings.json'), JSON.stringify(settings));
  const loaded = await loadSettings({
    ...{ home: join(top, '.cadre'), userHome: top, cwd: join(top, 'work'), root: join(top, 'work') },
    ...{ sources: ['user'], trusted: true, managedDirectories: [] },
  });
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return loaded.value;
}

test('a pattern of servers that would deny none is refused', async () => {
  for (const [pattern, said] of [
    [{ serverName: '' }, 'the name of a server'],
    [{ serverName: 'github ' }, 'the name of a server'],
    [{ serverCommand: [] }, 'serverCommand'],
    [{ serverUrl: 'example.com' }, 'an address, such as https://example.com/*'],
    [{ serverName: 'a', serverUrl: 'https://b.test/*' }, 'one of serverName, serverCommand and serverUrl'],
  ] as const)
    for (const key of ['deniedMcpServers', 'allowedMcpServers'])
      await expect(load({ [key]: [pattern] })).rejects.toThrow(said);
  for (const pattern of [{ serverUrl: '*' }, { serverUrl: '*.example.com/*' }, { serverUrl: 'wss://x.test' }])
    expect((await load({ deniedMcpServers: [pattern] })).deniedMcpServers).toEqual([pattern]);
});

test('a denied server is denied in whatever case it is written, and an allowed one is allowed in its own', async () => {
  const named = (name: string) =>
    ({ name, transport: { type: 'stdio', command: 'x', args: [] } }) as unknown as ServerConfig;
  const denied = await load({
    deniedMcpServers: [{ serverName: 'GitHub' }],
    disabledMcpjsonServers: ['Files'],
  });
  expect(findServerRefusal(named('github'), denied)).toContain('deniedMcpServers');
  expect(isSwitchedOff('files', denied)).toBe(true);
  const allowed = await load({ allowedMcpServers: [{ serverName: 'GitHub' }] });
  expect(findServerRefusal(named('github'), allowed)).toContain('allowedMcpServers');
});

test('a misspelt switch is told also where it is off', async () => {
  const { unheeded } = await load({ sandbox: { allowUnsandboxedCommand: false, foreignThing: false } });
  expect(unheeded.map(({ key, meant }) => [key, meant])).toEqual([
    ['sandbox.allowUnsandboxedCommand', 'sandbox.allowUnsandboxedCommands'],
  ]);
});

test('a limit of teams, workflows or workers by an unknown name is told', async () => {
  const { unheeded } = await load({ teams: { size: 2 }, workflows: { maxAgents: 3 }, remote: { budget: 1 } });
  expect(unheeded.map(({ key }) => key).sort()).toEqual([
    'remote.budget',
    'teams.size',
    'workflows.maxAgents',
  ]);
});

test('a server written with one underscore is a misspelt tool, in lists and matchers', () => {
  expect(findMisspeltTool('mcp_github')).toBe('mcp__github');
  expect(findMisspeltTool('mcp-github')).toBe('mcp__github');
  expect(findMisspeltTool('mcp__github')).toBeUndefined();
  expect(findMisspelt('mcp_github|Bash')).toEqual({ name: 'mcp_github', meant: 'mcp__github' });
});

test('a rule in place of a matcher fits no call, so it is told', () => {
  expect(findMisspelt('Bash(rm:*)')).toEqual({ name: 'Bash(rm:*)', meant: 'Bash, with the rule in "if"' });
  for (const pattern of ['Bash|Edit', 'mcp__.*', 'Notebook(Edit|Read)', 'Task(Create|Get)'])
    expect(findMisspelt(pattern)).toBeUndefined();
});
