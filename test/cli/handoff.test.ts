import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cadre, newPlace } from './support.ts';

test('HO2 cadre handoff: init, trust, list and show', async () => {
  const place = newPlace();
  const listed = await cadre(['handoff', 'templates'], { place });
  expect(listed.out).toContain(
    'validator          built-in  validate  haiku   read-only + Bash + mcp__cclsp__*',
  );
  const made = await cadre(['handoff', 'init'], { place });
  expect(made.code).toBe(0);
  expect(existsSync(join(place.cwd, '.cadre/sub-agents/README.md'))).toBe(true);
  const profile = join(place.cwd, '.cadre/sub-agents/profiles/read-only.md');
  writeFileSync(profile, '---\nname: read-only\ndescription: more\ntools: [Read, Bash]\n---\n');
  const held = await cadre(['handoff', 'profiles'], { place });
  expect(held.out).toContain('read-only    built-in');
  expect(held.out).toContain('Not trusted, no effect (cadre trust):');
  expect((await cadre(['trust', '--yes'], { place })).code).toBe(0);
  const shown = JSON.parse((await cadre(['handoff', 'show', 'analyzer', '--json'], { place })).out);
  expect(shown).toMatchObject([{ kind: 'templates', source: 'project', resolvedTools: ['Read', 'Bash'] }]);
});

test('HO2 a broken profile is listed with its line, and show explains it', async () => {
  const place = newPlace();
  const folder = join(place.home, 'sub-agents/profiles');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'writer.md'), '---\nname: writer\ntools: Bash(npm test)\n---\n');
  const listed = await cadre(['handoff', 'profiles'], { place });
  expect(listed.out).toContain('profiles/writer.md:3: tools: "Bash(npm test)"');
  const shown = await cadre(['handoff', 'show', 'profiles/writer'], { place });
  expect({ code: shown.code, err: shown.err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('writer.md:3'),
  });
});

test('HO1 cadre handoff schema prints JSON Schema', async () => {
  const place = newPlace();
  const all = JSON.parse((await cadre(['handoff', 'schema'], { place })).out);
  expect(Object.keys(all)).toEqual(['request', 'research', 'write', 'validate', 'analyzer']);
  const unknown = await cadre(['handoff', 'schema', 'deploy'], { place });
  expect(unknown.code).toBe(2);
});
