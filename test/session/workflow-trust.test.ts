import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTrust, grantTrust, revokeTrust } from '../../src/index.ts';
import type { Session } from '../../src/session/session.ts';
import { say } from '../../src/testing/index.ts';
import { open as openPlace, type Place, place } from './support.ts';

const script = "export const meta = { name: 'theirs', description: 'd' };\nreturn 1;";
const pattern = 'version: 1\nrun: researcher\n';

/** A repository that brings workflows, and one file of the user's elsewhere. */
function checkout(): Place {
  const at = place();
  const folder = join(at.cwd, '.cadre', 'workflows');
  for (const directory of [folder, at.home]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(folder, 'theirs.js'), script);
  writeFileSync(join(folder, 'plan.yaml'), pattern);
  writeFileSync(join(at.cwd, 'loose.js'), script);
  writeFileSync(join(at.home, 'mine.js'), script);
  symlinkSync(join(at.cwd, 'loose.js'), join(at.home, 'link.js'));
  return at;
}

async function grant(at: Place): Promise<void> {
  const described = await describeTrust(at);
  if (!described.ok) throw new Error(described.problem.message);
  expect((await grantTrust(described.value, at)).ok).toBe(true);
}

async function attempt(session: Session, wish: object): Promise<string> {
  const task = await session.spawn({ kind: 'local_workflow', ...wish } as Parameters<Session['spawn']>[0]);
  if (!task.ok) return `${task.problem.message} ${task.problem.hint ?? ''}`;
  const end = await session.workflows().ended(task.value.id);
  return end?.runId ?? 'no run';
}

async function attemptAll(at: Place, wishes: object[], options = {}): Promise<string[]> {
  const { session } = await openPlace(at, Array(9).fill(say('noted')), options);
  session.beginNothing();
  const all: string[] = [];
  for (const wish of wishes) all.push(await attempt(session, wish));
  await session.close();
  return all;
}

const byPath = ['.cadre/workflows/theirs.js', '.cadre/workflows/plan.yaml', 'loose.js'].map((file) => ({
  ...{ file, args: 'task' },
}));

test('PE8 TS6 a workflow or pattern of the repository that is named by its path is refused until it is trusted', async () => {
  const at = checkout();
  const [theirs, plan, loose, link] = await attemptAll(at, [
    ...byPath,
    { file: join(at.home, 'link.js'), args: 'task' },
  ]);
  for (const said of [theirs, plan]) expect(said).toContain('is not trusted. Review it with `cadre trust`.');
  // Only folders of workflows are shown by cadre trust, so the next step is another one.
  expect(loose).toContain('is not trusted. Read it, then move it to .cadre/workflows');
  expect(link).toContain('is not trusted');
});

test('PE8 TS6 trusted, it runs by its path; a file outside of the repository runs without trust', async () => {
  const at = checkout();
  const mine = { file: join(at.home, 'mine.js') };
  expect((await attemptAll(at, [mine]))[0]).toStartWith('r');
  await grant(at);
  const [theirs, plan, loose] = await attemptAll(at, byPath);
  expect(theirs).toStartWith('r');
  expect(plan).toStartWith('r');
  expect(loose).toContain('is not trusted');
  expect((await attemptAll(at, [{ file: 'loose.js' }], { trust: true }))[0]).toStartWith('r');
});

test('PE8 TS8 a run whose script is no longer trusted is not resumed from the text that its journal kept', async () => {
  const at = checkout();
  await grant(at);
  const runs = await attemptAll(at, byPath.slice(0, 2));
  await revokeTrust(at);
  const [script, pattern] = await attemptAll(
    at,
    runs.map((resume) => ({ resume })),
  );
  expect(script).toContain('theirs.js comes from this repository and is not trusted');
  expect(pattern).toContain('plan.yaml comes from this repository and is not trusted');
});

test('PE8 TS8 a script that changed since it was trusted is resumed as it was trusted', async () => {
  const at = checkout();
  await grant(at);
  const [run] = await attemptAll(at, [{ name: 'theirs' }]);
  writeFileSync(join(at.cwd, '.cadre/workflows/theirs.js'), `${script} // changed`);
  expect(await attemptAll(at, [{ resume: run }])).toEqual([run ?? '']);
});

test('TS8 a run that was started by a path continues with the file as it is now, and from the home directory too', async () => {
  const at = place();
  const file = join(at.environment.HOME ?? '', 'flow.js');
  for (const directory of [at.cwd, join(file, '..')]) mkdirSync(directory, { recursive: true });
  writeFileSync(file, "export const meta = { name: 'flow', description: 'd' };\nreturn 'before';");
  const above = { ...at, cwd: join(file, '..') };
  const [run = ''] = await attemptAll(above, [{ file: 'flow.js' }]);
  expect(run).toStartWith('r');
  writeFileSync(file, "export const meta = { name: 'flow', description: 'd' };\nreturn 'after';");
  const { session } = await openPlace(at, [say('noted')]);
  const task = await session.spawn({ kind: 'local_workflow', resume: run });
  const end = task.ok ? await session.workflows().ended(task.value.id) : undefined;
  expect(end).toMatchObject({ runId: run, value: 'after' });
  await session.close();
});

test('PE8 TS6 a slash command of a workflow that is not trusted says so, and nothing is sent', async () => {
  const at = checkout();
  const { prompt, model, session } = await openPlace(at, [say('I improvise')]);
  expect(await prompt('/theirs')).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('is not trusted. Review it with `cadre trust`.'),
  });
  expect(model.requests).toHaveLength(0);
  await session.close();
});
