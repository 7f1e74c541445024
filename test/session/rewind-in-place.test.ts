import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

/** A command puts something else in the place of a file, and the session goes back before it. */
async function rewindAfter(script: string) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.environment.HOME ?? '', { recursive: true });
  const file = (name: string) => join(at.cwd, name);
  writeFileSync(file('a'), 'mine');
  writeFileSync(file('../go.sh'), script);
  const { session, prompt } = await open(at, [call('Bash', { command: 'sh ../go.sh' }), say('Done.')], {
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash'],
    sandbox: false,
  });
  await prompt('first');
  const points = await session.checkpoints();
  const to = points.ok ? (points.value[0]?.uuid ?? '') : '';
  const report = await session.rewind({ to, what: 'files' });
  await session.close();
  return { report, file, names: () => readdirSync(at.cwd).filter((name) => !name.startsWith('.')) };
}

const specials = {
  'a pipe': 'mkfifo a',
  'a socket': `python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('a')"`,
};
for (const [what, make] of Object.entries(specials))
  test(`a file comes back where a command put ${what}, which is renamed`, async () => {
    const { report, file, names } = await rewindAfter(`mv a b; ${make}`);
    expect(report).toMatchObject({ ok: true, value: { restored: [file('a')], refused: [] } });
    expect(readFileSync(file('a'), 'utf8')).toBe('mine');
    const [renamed = 'nothing', ...more] = names().filter((name) => name !== 'a');
    expect([renamed.replace(/-.*/, ''), more]).toEqual(['a.removed', []]);
    expect(report.ok && report.value.beyond.join()).toContain(
      `${file('a')} is in the place of a file that is restored, so it is renamed to ${renamed}`,
    );
  });

for (const command of ['mkdir -p a/b/c; echo k > a/b/c/d', 'mkdir -p a/b/c a/d'])
  test(`a file comes back where a command put directories: ${command}`, async () => {
    const { report, file, names } = await rewindAfter(`mv a b; ${command}`);
    expect(report).toMatchObject({ ok: true, value: { restored: [file('a')], refused: [] } });
    expect(readFileSync(file('a'), 'utf8')).toBe('mine');
    expect(names()).toEqual(['a']);
  });
