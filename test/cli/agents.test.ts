import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, type Place } from './support.ts';

function write(place: Place, name: string, text: string): string {
  const folder = join(place.cwd, '.claude', 'agents');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('cadre agents lists agents with source, model and tools, and every broken file with line and reason', async () => {
  const place = newPlace();
  const good = write(
    place,
    'r.md',
    '---\nname: reviewer\ndescription: reviews\ntools: Read, Grep\nmodel: opus\n---\nReview.',
  );
  const broken = write(place, 'b.md', '---\nname: b\ndescription: x\npermissionMode: yolo\n---\n');
  const { code, out } = await cadre(['agents'], { place });
  expect(code).toBe(0);
  expect(out).toMatch(/^reviewer +project +opus +Read, Grep$/m);
  expect(out).toContain(good);
  expect(out).toMatch(/^Explore +built-in +haiku +all tools but /m);
  expect(out).toContain(`${broken}:4: permissionMode: expected default, acceptEdits`);
});

test('cadre agents --json is for programs', async () => {
  const place = newPlace();
  const file = write(place, 'b.md', '---\nname: b\n');
  const given = '{"a": {"description": "does a", "prompt": "Be a."}}';
  const { out } = await cadre(['agents', '--json', '--agents', given], { place });
  const report = JSON.parse(out);
  expect(report.agents[0]).toMatchObject({ name: 'a', source: 'cli', tools: '*' });
  expect(report.broken).toMatchObject([{ file, line: 1, source: 'project' }]);
});

test('cadre agents show prints what each layer took away, and what the first request weighs', async () => {
  const place = newPlace();
  const { code, out } = await cadre(['agents', 'show', 'explore'], { place });
  expect(code).toBe(0);
  expect(out).toStartWith('Explore\n');
  expect(out).toContain('Edit: its definition disallows it');
  expect(out).toContain('AskUserQuestion: not available to sub-agents');
  const bytes = Number(/First request: ([\d,]+) bytes/.exec(out)?.[1]?.replaceAll(',', ''));
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(12_000);
  const shown = JSON.parse((await cadre(['agents', 'show', 'Explore', '--json'], { place })).out);
  expect(shown.firstRequest.total).toBe(bytes);
  expect(shown.foreground.layers).toHaveLength(4);
});

test.each(['Explore', 'general-purpose', 'mover'])(
  'in a repository %s is asked with the very tools that cadre agents show names',
  async (type) => {
    const place = newPlace();
    execFileSync('git', ['init', '-q'], { cwd: place.cwd });
    const settings = { agents: { giveBack: ['Land'] } };
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'settings.json'), JSON.stringify(settings));
    const mine = join(place.home, 'agents');
    mkdirSync(mine);
    writeFileSync(join(mine, 'mover.md'), '---\nname: mover\ndescription: moves\n---\nMove.');
    await using provider = await fakeProvider({
      script: ({ messages }) => {
        if (JSON.stringify(messages[0]).includes('Do it.')) return say('Done.');
        const input = { description: 'd', prompt: 'Do it.', subagent_type: type };
        return messages.length === 1 ? call('Agent', input) : say('Over.');
      },
    });
    await cadre(['-p', 'go', '--permission-mode', 'acceptEdits'], { place, provider });
    const asked = provider.received.find(({ messages }) => JSON.stringify(messages[0]).includes('Do it.'));
    const shown = JSON.parse((await cadre(['agents', 'show', type, '--json'], { place, provider })).out);
    expect(asked?.tools.map(({ name }) => name).sort()).toEqual([...shown.foreground.tools].sort());
    expect(shown.foreground.tools.includes('Land')).toBe(type !== 'Explore');
  },
);

test('--agents of a run is among the types that the model is shown', async () => {
  await using provider = await fakeProvider({ script: () => 'Hello.' });
  const given = '{"zed": {"description": "does zed", "prompt": "Be zed."}}';
  const { code } = await cadre(['-p', 'hello', '--agents', given], { place: newPlace(), provider });
  expect(code).toBe(0);
  expect(JSON.stringify(provider.requests[0])).toContain('- zed: does zed');
});

test.each([
  [['-p', 'x', '--agents', '{"a": 1}'], '--agents: "a": expected an object'],
  [['agents', 'show', 'nobody'], 'Unknown agent type nobody.'],
  [['agents', 'show'], 'cadre agents show needs a name.'],
  [['agents', 'frob'], 'cadre agents frob: unknown command.'],
  [['agents', '--agents', '{"a": 1}'], '--agents: "a": expected an object'],
  [['agents', '--plugin-dir', 'nowhere'], 'no such directory; expected the directory of a plugin'],
])('%j ends with 2 and says why', async (args, message) => {
  const { code, err } = await cadre(args, { place: newPlace() });
  expect(code).toBe(2);
  expect(err).toContain(message);
});
