import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { plainGround, runCommands } from '../session/undo-ground.ts';

test('a home in the workspace: files of the harness are neither recorded nor restored', async () => {
  const ground = plainGround();
  const home = join(ground.cwd, 'home');
  const ours = join(home, '.cadre');
  const environment = { ...ground.environment, HOME: home, CADRE_HOME: ours };
  const inside = plainGround({ ...ground, home: ours, environment });
  inside.git('init', '-q');
  inside.write('a.txt', 'a\n');
  const { session, rewind } = await runCommands(inside, ['echo b > a.txt', 'rm a.txt']);
  const report = await rewind('echo b > a.txt');
  expect([report.restored, report.removed, report.refused]).toEqual([[inside.file('a.txt')], [], []]);
  expect(report.beyond.join('\n')).not.toContain('.cadre');
  await session.close();
});
