import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunProgress } from '../../src/commands/workflow/run-progress.ts';
import type { Io } from '../../src/headless/io.ts';
import { openSession } from '../../src/session/open.ts';
import { say, scriptedModel } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';

/** A person at a terminal who sees `shown`, and lines in `written`. */
function watch() {
  const seen = { shown: [] as string[], written: [] as string[] };
  const io: Io = {
    input: (async function* () {})(),
    inputKind: 'terminal',
    outputIsTerminal: true,
    errorIsTerminal: true,
    writeOut: async () => true,
    writeErr: (text) => void seen.written.push(text),
    terminal: {
      columns: () => 80,
      rows: () => 24,
      show: (text) => void seen.shown.push(text),
      readLine: async () => ({ kind: 'gone' }),
      openKeys: () => ({ next: async () => undefined, close: () => {} }),
    },
  };
  return { io, seen };
}

test('TS6 the line of a run at a terminal is replaced in place, and its figures are those of its calls', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const file = join(at.home, 'three.js');
  mkdirSync(at.home, { recursive: true });
  writeFileSync(
    file,
    `export const meta = { name: 'three', description: 'Three calls.' };
await agent('one'); await parallel([() => agent('two'), () => agent('three')]);`,
  );
  const { cwd, environment } = at;
  const opened = await openSession({
    cwd,
    environment,
    model: scriptedModel(() => say('ok')),
    sandbox: false,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  const { io, seen } = watch();
  const progress = new RunProgress(io, session);
  const task = await session.spawn({ kind: 'local_workflow', file });
  if (!task.ok) throw new Error(task.problem.message);
  await task.value.result();
  await progress.close();
  await session.close();
  const figures = seen.shown.flatMap((text) => {
    const [, ended, total, running] = /(\d) of (\d) calls ended · (\d) running/.exec(text) ?? [];
    return ended === undefined ? [] : [`${ended}/${total}/${running}`];
  });
  expect([...new Set(figures)]).toEqual([
    ...['0/0/0', '0/1/0', '0/1/1', '1/1/0', '1/2/0', '1/3/0', '1/3/1', '1/3/2', '2/3/1', '3/3/0'],
  ]);
  for (const text of seen.shown) expect(text).toStartWith('\r\x1b[K');
  expect(seen.shown.at(-1)).toBe('\r\x1b[K');
  expect(seen.written.join('')).not.toContain('\x1b');
});
