import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hookEvents } from '../../src/protocol/index.ts';
import { call, fakeProvider, type Turn } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place } from './support.ts';

function put(directory: string, name: string, value: unknown): string {
  const file = join(directory, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return file;
}

const on = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const everywhere = (command: string) => Object.fromEntries(hookEvents.map((event) => [event, on(command)]));

const turns: Turn[] = [
  call('Bash', { command: 'echo from the shell' }),
  call('Agent', { description: 'Look', prompt: 'Look.', subagent_type: 'helper' }),
  'Seen.',
  'Done.',
];

/** A repository with a hook wherever one can stand. */
function hostile(place: Place): string {
  const marker = join(place.userHome, 'marker');
  const hooks = everywhere(`echo "$0" >> ${marker}`);
  for (const folder of ['.claude', '.cadre']) {
    put(place.cwd, `${folder}/settings.json`, { hooks, disableAllHooks: false });
    put(place.cwd, `${folder}/settings.local.json`, { hooks });
    put(place.cwd, `${folder}/hooks/hooks.json`, { hooks });
    const agent = `---\nname: helper\ndescription: helps\nhooks: ${JSON.stringify(hooks)}\n---\nHelp.`;
    put(place.cwd, `${folder}/agents/helper.md`, agent);
  }
  put(place.cwd, 'hooks/hooks.json', { hooks });
  return marker;
}

test('G9 a repository full of hooks runs none of them before it is trusted, and says so', async () => {
  const place = newPlace();
  const marker = hostile(place);
  await using provider = await fakeProvider({ script: turns });
  const ended = await cadre(['-p', 'Go.', '--allowedTools', 'Bash(echo *)'], { place, provider });
  expect(ended).toMatchObject({ code: 0 });
  provider.assertConsumed();
  expect(existsSync(marker)).toBe(false);
  expect(ended.err).toContain('Inactive until you trust this repository: ');
  expect(ended.err).toContain('hooks of the agent helper');
});

test('the same repository, trusted for one run, has its hooks', async () => {
  const place = newPlace();
  const marker = hostile(place);
  await using provider = await fakeProvider({ script: turns });
  const ended = await cadre(['-p', 'Go.', '--trust', '--allowedTools', 'Bash(echo *)'], { place, provider });
  expect(ended).toMatchObject({ code: 0 });
  expect(readFileSync(marker, 'utf8').split('\n').length).toBeGreaterThan(5);
});

test('cadre hooks lists what there is, where it stands, whether it runs, and what is broken', async () => {
  const place = newPlace();
  const marker = join(place.userHome, 'marker');
  const user = put(place.home, 'settings.json', {
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: 'guard.sh', if: 'Bash(git *)' }] },
        { matcher: '(', hooks: [] },
      ],
      Stop: [{ hooks: [{ type: 'http', url: 'http://localhost:1/x', headers: { authorization: 'hush' } }] }],
    },
  });
  const project = put(place.cwd, '.claude/settings.json', { hooks: { Stop: on(`touch ${marker}`) } });
  put(
    place.cwd,
    '.claude/agents/a.md',
    '---\nname: a\ndescription: a\nhooks: {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}\n---\nA.',
  );
  const plugin = join(place.userHome, 'plugin');
  put(plugin, 'hooks/hooks.json', { hooks: { SessionStart: on('hello') } });
  const { code, out } = await cadre(['hooks', '--plugin-dir', plugin], { place });
  expect(code).toBe(0);
  expect(out).toMatch(
    /^PreToolUse +Bash if Bash\(git \*\) +command +guard\.sh\n {4}user, .*settings\.json$/m,
  );
  expect(out).toContain(`${project}\n    inactive until you trust it (cadre trust)`);
  expect(out).toMatch(/^SessionStart +\* +command +hello\n {4}plugin, /m);
  expect(out).toContain('agent a only');
  expect(out).toContain(`${user}: hooks.PreToolUse[1].matcher: expected names or a regular expression`);
  const { out: json } = await cadre(['hooks', '--json'], { place });
  const report = JSON.parse(json);
  expect(report.hooks).toMatchObject([
    {
      event: 'PreToolUse',
      matcher: 'Bash',
      if: 'Bash(git *)',
      state: 'runs',
      source: { kind: 'user', file: user },
    },
    { event: 'Stop', state: 'runs', handler: { type: 'http', headers: ['authorization'] } },
    { event: 'Stop', state: 'held', source: { kind: 'project', file: project } },
    { event: 'SubagentStop', state: 'held', source: { kind: 'agent', agent: 'a' } },
  ]);
  expect(json).not.toContain('hush');
  expect(report.broken).toHaveLength(1);
  expect(existsSync(marker)).toBe(false);
});

test('a broken hook is told of when a run starts', async () => {
  const place = newPlace();
  put(place.home, 'settings.json', { hooks: { Stop: [{ hooks: [{ type: 'spell' }] }] } });
  await using provider = await fakeProvider({ script: () => 'Hello.' });
  const { code, err } = await cadre(['-p', 'Go.'], { place, provider });
  expect(code).toBe(0);
  expect(err).toMatch(/This hook will not run: .*settings\.json, hooks\.Stop\[0\]\.hooks\[0\]: type: /);
});

test('--include-hook-events needs stream-json', async () => {
  const { code, err } = await cadre(['-p', 'Go.', '--include-hook-events'], { place: newPlace() });
  expect(code).toBe(2);
  expect(err).toContain('--include-hook-events needs --output-format stream-json.');
});
