import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeProvider } from '../../src/testing/index.ts';
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
  expect(out).toContain('AskUserQuestion: not for sub-agents');
  const bytes = Number(/First request: ([\d,]+) bytes/.exec(out)?.[1]?.replaceAll(',', ''));
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(12_000);
  const shown = JSON.parse((await cadre(['agents', 'show', 'Explore', '--json'], { place })).out);
  expect(shown.firstRequest.total).toBe(bytes);
  expect(shown.foreground.layers).toHaveLength(4);
});

test('--agents of a run is among the types that the model is shown', async () => {
  await using provider = await fakeProvider({ script: () => 'Hello.' });
  const given = '{"zed": {"description": "does zed", "prompt": "Be zed."}}';
  const { code } = await cadre(['-p', 'hello', '--agents', given], { place: newPlace(), provider });
  expect(code).toBe(0);
  expect(JSON.stringify(provider.requests[0])).toContain('- zed: does zed');
});

test.each([
  [['-p', 'x', '--agents', '{"a": 1}'], '--agents: "a": expected an object'],
  [['agents', 'show', 'nobody'], 'There is no agent nobody.'],
  [['agents', 'show'], 'cadre agents show needs a name.'],
  [['agents', 'frob'], 'cadre agents frob: there is no such command.'],
  [['agents', '--agents', '{"a": 1}'], '--agents: "a": expected an object'],
  [['agents', '--plugin-dir', 'nowhere'], 'expected the directory of a plugin'],
])('%j ends with 2 and says why', async (args, message) => {
  const { code, err } = await cadre(args, { place: newPlace() });
  expect(code).toBe(2);
  expect(err).toContain(message);
});
