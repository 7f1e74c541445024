import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { fakeServer } from '../mcp/support.ts';
import { cadre, newPlace } from './support.ts';

test("a plugin's servers are there under its name, and its broken entries are explained", async () => {
  const place = newPlace();
  const plugin = join(place.userHome, 'plugin');
  mkdirSync(join(plugin, '.claude-plugin'), { recursive: true });
  const mcpServers = { one: fakeServer('plain'), bad: { command: 5 } };
  writeFileSync(join(plugin, '.claude-plugin/plugin.json'), JSON.stringify({ name: 'plug', mcpServers }));
  const two = { ...fakeServer('plain'), env: { PLACE: '$' + '{CLAUDE_PLUGIN_ROOT}' } };
  writeFileSync(join(plugin, '.mcp.json'), JSON.stringify({ mcpServers: { two } }));
  await using provider = await fakeProvider({
    script: [
      call('mcp__plugin_plug_one__say', { text: 'from one' }),
      call('mcp__plugin_plug_two__environment', {}),
      say('done'),
    ],
  });
  const flags = ['--plugin-dir', plugin, '--settings', '{"mcp":{"startupWaitMs":20000}}'];
  const allowed = ['--allowedTools', 'mcp__plugin_plug_one,mcp__plugin_plug_two'];
  const { code, err } = await cadre(['-p', 'Go.', ...flags, ...allowed], { place, provider });
  expect(code).toBe(0);
  expect(err).toContain('plugin:plug:bad');
  const seen = JSON.stringify(provider.received.at(-1));
  expect(seen).toContain('from one');
  expect(seen).toContain(plugin);
});
