import { expect, test } from 'bun:test';
import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, unconfined } from './support.ts';

test('cadre audit shows what was asked and refused, of one session or of all', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [
      call('Bash', { command: 'touch \u001b[2Ja' }),
      call('Read', { file_path: '.env' }),
      say('Well.'),
    ],
  });
  const ran = await cadre(['-p', 'Go.', '--disallowedTools', 'Read(.env)', '--output-format', 'json'], {
    place,
    provider,
  });
  const { session_id } = JSON.parse(ran.out);
  const all = await cadre(['audit'], { place });
  expect(all.code).toBe(0);
  expect(all.out).toMatch(/asked .* lead · Bash touch \\x1b\[2Ja · risk high/);
  expect(all.out).toMatch(/refused .* by unattended · There is no user/);
  expect(all.out).toMatch(/denied lead · Read \.env · by rule/);
  const last = await cadre(['audit', '--session', session_id.slice(0, 8), '--last', '1', '--json'], {
    place,
  });
  expect(JSON.parse(last.out)).toMatchObject({ type: 'denial', sessionId: session_id });
  const other = await cadre(['audit', '--session', crypto.randomUUID()], { place });
  expect(other).toMatchObject({ code: 0, out: 'The audit log has no matching entries.\n' });
});

test('cadre audit says what it cannot read, and shows the rest', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [call('Bash', { command: 'touch a' }), say('Well.')] });
  await cadre(['-p', 'Go.', ...unconfined], { place, provider });
  const [name = ''] = readdirSync(join(place.home, 'audit'));
  appendFileSync(join(place.home, 'audit', name), 'half a li');
  const { code, out, err } = await cadre(['audit', '--json'], { place });
  expect([code, out.trim().split('\n').length]).toEqual([0, 2]);
  expect(err).toContain(`${name}:3:`);
});

test('cadre audit refuses a count that is none', async () => {
  expect(await cadre(['audit', '--last', 'x'], { place: newPlace() })).toMatchObject({
    code: 2,
    err: expect.stringContaining('--last x'),
  });
});
