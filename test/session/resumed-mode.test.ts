import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { place as emptyPlace, open, type Place } from './support.ts';

function place(): Place {
  const at = emptyPlace();
  mkdirSync(at.cwd);
  return at;
}

/** Has a session in this mode, and goes on with it. */
async function resumed(
  at: Place,
  mode: SessionOptions['permissionMode'],
  more: Partial<SessionOptions> = {},
) {
  const first = await open(at, [say('Hello.')], { ...(mode ? { permissionMode: mode } : {}) });
  await first.prompt('Hi');
  await first.session.close();
  return goOn(at, [say('On.')], more);
}

async function goOn(at: Place, turns: Turn[], more: Partial<SessionOptions> = {}) {
  const story = await open(at, turns, { resume: { from: 'latest' }, ...more });
  await story.prompt('Go on');
  await story.session.close();
  const notices = story.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  return { ...story, mode: story.session.info().permissionMode, notices: notices.join('\n') };
}

function planFileIn(request: ModelRequest | undefined): string {
  return /The plan file: ([^"\\<]+\.md)/.exec(JSON.stringify(request?.messages))?.[1] ?? '';
}

for (const mode of ['plan', 'dontAsk', 'acceptEdits'] as const)
  test(`SE1 a session that was left in mode ${mode} goes on in it, and says so`, async () => {
    const { mode: now, notices } = await resumed(place(), mode);
    expect(now).toBe(mode);
    expect(notices).toContain(`continues in mode ${mode}, as before`);
  });

test('PL1 plan mode holds after a resume: nothing is written', async () => {
  const at = place();
  await resumed(at, 'plan');
  const story = await goOn(at, [
    call('Write', { file_path: join(at.cwd, 'r.txt'), content: 'x' }),
    say('No.'),
  ]);
  expect(story.mode).toBe('plan');
  expect(() => readFileSync(join(at.cwd, 'r.txt'))).toThrow();
});

test('a mode that is asked for now goes before the one it was left in, without a word', async () => {
  const { mode, notices } = await resumed(place(), 'plan', { permissionMode: 'default' });
  expect(mode).toBe('default');
  expect(notices).not.toContain('as it was left');
});

test('the usual mode comes back without a word', async () => {
  const { mode, notices } = await resumed(place(), undefined);
  expect(mode).toBe('default');
  expect(notices).not.toContain('as it was left');
});

test('skipping permissions comes back only where it is allowed again, and what is in force is said', async () => {
  const without = await resumed(place(), 'bypassPermissions');
  expect(without.mode).toBe('default');
  expect(without.notices).toContain('last in mode bypassPermissions, which is not allowed now');
  const again = await resumed(place(), 'bypassPermissions', { allowBypass: true });
  expect(again.mode).toBe('bypassPermissions');
  const settings = '{"permissions":{"disableBypassPermissionsMode":"disable"}}';
  const disabled = await resumed(place(), 'bypassPermissions', { allowBypass: true, settings });
  expect(disabled.mode).toBe('default');
});

test('auto comes back; where settings disable it the session still opens', async () => {
  expect((await resumed(place(), 'auto')).mode).toBe('auto');
  const disabled = await resumed(place(), 'auto', {
    settings: '{"permissions":{"disableAutoMode":"disable"}}',
  });
  expect(disabled.mode).toBe('default');
  expect(disabled.notices).toContain('last in mode auto, which is not allowed now');
});

test('a mode that was entered in the middle of a run that a crash cut off is the one that counts', async () => {
  const at = place();
  const story = await open(at, [call('EnterPlanMode', {}), say('Planning.')], { attended: true });
  await story.prompt('Plan');
  // Not closed: as after a kill.
  const text = readFileSync(story.session.info().transcriptPath ?? '', 'utf8');
  const states = text.split('\n').filter((line) => line.includes('"session-state"'));
  expect(JSON.parse(states.at(-1) ?? '{}')).toMatchObject({ permissionMode: 'plan' });
  await story.session.close();
});

test('PL1 the plan goes on in the file in which it was begun', async () => {
  const at = place();
  const first = await open(at, [say('Hello.')], { permissionMode: 'plan' });
  await first.prompt('Hi');
  await first.session.close();
  const file = planFileIn(first.model.requests[0]);
  writeFileSync(file, '# Begun\n');
  const answers: Answer[] = [{ behaviour: 'allow' }];
  const { model } = await goOn(at, [call('ExitPlanMode', {}), say('Done.')], {
    onQuestion: async () => answers.shift() ?? { behaviour: 'deny', message: 'no' },
  });
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('# Begun');
});

test('a plan file that a transcript names elsewhere, or that became a link, is not made writable', async () => {
  const at = place();
  for (const spoil of [
    (text: string) => text.replaceAll(/"planFile":"[^"]+"/g, `"planFile":"${at.cwd}/plan-x.md"`),
    (text: string) => {
      const file = /"planFile":"([^"]+)"/.exec(text)?.[1] ?? '';
      symlinkSync(join(at.cwd, 'victim'), file);
      return text;
    },
  ]) {
    const first = await open(at, [say('Hello.')], { permissionMode: 'plan' });
    await first.prompt('Hi');
    const transcript = first.session.info().transcriptPath ?? '';
    await first.session.close();
    const before = planFileIn(first.model.requests[0]);
    writeFileSync(transcript, spoil(readFileSync(transcript, 'utf8')));
    const { model } = await goOn(at, [say('On.')]);
    const named = JSON.stringify(model.requests[0]?.messages).match(/The plan file: [^"\\<]+\.md/g) ?? [];
    expect(named.at(-1)).not.toContain(at.cwd);
    expect(named.at(-1)).not.toContain(before);
  }
});
