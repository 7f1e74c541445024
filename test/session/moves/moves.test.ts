import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, expecting, hang, say } from '../../../src/testing/index.ts';
import { get } from '../../remote/support.ts';
import { openMemoryEngine, startWorker, waitFor } from '../../remote/worker-ground.ts';
import { moveAway, openHome } from './ground.ts';

test('RM4 a running session moves to a worker at the next step with its files, and back', async () => {
  const { engine } = openMemoryEngine();
  const home = openHome(engine);
  writeFileSync(join(home.at.cwd, 'draft.txt'), 'not committed\n');
  const { session } = await home.open([call('Write', { file_path: 'b.txt', content: 'two\n' }), hang()]);
  session.send({ type: 'prompt', content: 'Write three files.' });
  const worker = startWorker({
    engine,
    trusts: [home.key.name],
    turns: [
      expecting({ userText: 'You continue on another machine' }, call('Read', { file_path: 'draft.txt' })),
      expecting({ toolResult: 'not committed' }, call('Write', { file_path: 'c.txt', content: 'three\n' })),
      hang(),
    ],
  });
  home.trust(worker.key);
  await waitFor(() => existsSync(join(home.at.cwd, 'b.txt')) || undefined);
  const to = await moveAway(session);
  expect(to.name).toBe('any');
  await waitFor(() => (worker.model.requests.length === 3 ? true : undefined));
  const refused = await home.open([], { resume: { from: 'latest' } }).catch((error: Error) => error.message);
  expect(refused).toContain('runs on the worker any');
  expect(get(await home.bring(session.id))).toEqual({ kind: 'checkout' });
  expect(readFileSync(join(home.at.cwd, 'c.txt'), 'utf8')).toBe('three\n');
  expect(home.run('status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean)).toEqual([
    '?? b.txt',
    '?? c.txt',
    '?? draft.txt',
  ]);
  await worker.end();
  const again = await home.open(
    [expecting({ userText: 'You continue on another machine' }, say('All three are written.'))],
    { resume: { from: 'id', id: session.id } },
  );
  expect(again.session.continueSuspended()).toBe(true);
  await again.session.settled();
  again.model.assertConsumed();
  const texts = again.session.messages().map(({ message }) => JSON.stringify(message.content));
  expect(texts.filter((text) => text.includes('"three\\n"'))).toHaveLength(1);
  await again.session.close();
}, 30_000);
