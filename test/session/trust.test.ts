import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeTrust, grantTrust, revokeTrust } from '../../src/index.ts';
import { call, say } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

function work(settings: object): Place {
  const at = place();
  mkdirSync(join(at.cwd, '.cadre'), { recursive: true });
  writeFileSync(join(at.cwd, '.cadre/settings.json'), JSON.stringify(settings));
  return at;
}

async function grant(at: Place): Promise<number> {
  const described = await describeTrust(at);
  if (!described.ok) throw new Error(described.problem.message);
  const granted = await grantTrust(described.value, at);
  if (!granted.ok) throw new Error(granted.problem.message);
  return granted.value;
}

const touch = call('Bash', { command: 'touch made' });

async function denials(at: Place): Promise<{ denied: number; notices: string[] }> {
  const { session, prompt, events } = await open(at, [touch, say('Done.')]);
  await prompt('Go');
  await session.close();
  return {
    denied: events.filter((event) => event.type === 'permission_denied').length,
    notices: events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : [])),
  };
}

test('PE8 trust that was given once holds in later sessions where nobody attends, until it is taken back', async () => {
  const at = work({ permissions: { allow: ['Bash(touch:*)'] } });
  expect((await denials(at)).denied).toBe(1);
  expect(await grant(at)).toBe(1);
  expect(await denials(at)).toEqual({ denied: 0, notices: [] });
  expect(await revokeTrust(at)).toEqual({ ok: true, value: 1 });
  expect((await denials(at)).denied).toBe(1);
});

test('what is held is said in one line, by file, with what changed', async () => {
  const at = work({ model: 'a/b', env: { A: '1' } });
  await grant(at);
  writeFileSync(join(at.cwd, '.cadre/settings.json'), '{"model":"a/c","env":{"A":"1"}}');
  const { notices } = await denials(at);
  expect(notices).toEqual([
    `Inactive until you trust this repository: model, env (${join(at.cwd, '.cadre/settings.json')}, changed since you trusted it). Run cadre trust to review it, or use --trust to let it take effect in this run.`,
  ]);
});

test('a program that an agent started cannot give trust', async () => {
  const at = work({ model: 'a/b' });
  const described = await describeTrust(at);
  if (!described.ok) throw new Error(described.problem.message);
  const environment = { ...at.environment, CADRE_OWNER: 'some-session' };
  expect(await grantTrust(described.value, { ...at, environment })).toMatchObject({
    ok: false,
    problem: { kind: 'usage' },
  });
});
