import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { cadre, newPlace, type Place } from './support.ts';

function findSession({ home }: Place): { id: string; path: string } {
  const projects = join(home, 'projects');
  const [project = ''] = readdirSync(projects);
  const file = readdirSync(join(projects, project)).find((name) => name.endsWith('.jsonl')) ?? '';
  return { id: file.slice(0, -'.jsonl'.length), path: join(projects, project, file) };
}

needs('openssl')(
  'HO8: cadre verify checks a run, signs what it found, and checks that elsewhere',
  async () => {
    const place = newPlace();
    await using provider = await fakeProvider({
      script: [call('Write', { file_path: 'a.txt', content: 'new\n' }), say('Written.')],
    });
    await cadre(['-p', 'Write it', '--permission-mode', 'acceptEdits'], { place, provider });
    const { id, path } = findSession(place);
    const good = await cadre(['verify', id.slice(0, 8)], { place });
    expect(good).toMatchObject({ code: 0, err: '' });
    expect(good.out).toContain('transcript.jsonl: as written');
    expect(good.out).toContain('1 changed file');

    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(place.cwd, 'key.pem')]);
    execFileSync('openssl', [
      'pkey',
      '-in',
      join(place.cwd, 'key.pem'),
      '-pubout',
      '-out',
      join(place.cwd, 'pub.pem'),
    ]);
    const exported = await cadre(['verify', id, '--export', 'run.json', '--key', 'key.pem'], { place });
    expect(exported.out).toContain('signed by key');
    const elsewhere = await cadre(['verify', 'run.json', '--key', 'pub.pem'], { place });
    expect(elsewhere).toMatchObject({ code: 0, err: '' });
    expect(elsewhere.out).toMatch(/sha256:[0-9a-f]{64} {2}a\.txt/);
    expect((await cadre(['verify', 'run.json'], { place })).code).toBe(2);

    appendFileSync(path, '{"type":"custom-title","customTitle":"x","sessionId":"s"}\n');
    expect(await cadre(['verify', path], { place })).toMatchObject({ code: 0 });
    writeFileSync(path, '{}\n');
    const bad = await cadre(['verify', id, '--json'], { place });
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ ok: false });
    expect((await cadre(['verify', 'nothing'], { place })).code).toBe(2);
    writeFileSync(join(place.cwd, 'broken.json'), '{"payload":1}');
    const broken = await cadre(['verify', 'broken.json'], { place });
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('neither an envelope')]);
  },
);

needs('node')("HO7: cadre checks lists and runs the project's own checks", async () => {
  const place = newPlace();
  const at = (name: string) => join(place.cwd, name);
  writeFileSync(at('package.json'), '{"scripts":{"test":"node --test","lint":"exit 3"}}');
  writeFileSync(at('a.test.js'), "require('node:test')('adds', () => {});\n");
  const listed = await cadre(['checks', '--list'], { place });
  expect(listed.code).toBe(0);
  expect(listed.out).toMatch(/^lint +npm run lint .*\ntests +npm test /m);
  const passed = await cadre(['checks', 'tests', '--json'], { place });
  expect(JSON.parse(passed.out)).toMatchObject({
    findings: { tests: { passed: true } },
    outcomes: { tests: { tests: { run: 1 } } },
  });
  const failed = await cadre(['checks'], { place });
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/lint +FAILED/);
  expect((await cadre(['checks', 'speed'], { place })).code).toBe(2);
});
