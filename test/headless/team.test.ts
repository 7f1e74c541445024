import { expect, test } from 'bun:test';
import { runPrompt } from '../../src/headless/run-prompt.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, lastUserText, say } from '../../src/testing/index.ts';
import { noInterrupts, pipe, request } from './support.ts';

test('TM3 TM12 a run with a team waits for its teammates, hears their reports, and leaves none behind', async () => {
  let step = 0;
  const turn = (asked: ModelRequest) => {
    if (asked.asker?.agentId) return say(`Report of ${lastUserText(asked).slice(-5)}.`);
    const started = [
      call('TeamCreate', { team_name: 'crew' }),
      call('Agent', { description: 'one', prompt: 'Do A', name: 'alice' }),
      call('Agent', { description: 'two', prompt: 'Do B', name: 'bob' }),
      say('Both work.'),
    ];
    const said = JSON.stringify(asked.messages);
    return (
      started[step++] ??
      say(
        ['Do A', 'Do B'].every((one) => said.includes(`Report of`) && said.includes(one))
          ? 'Both reported.'
          : 'One is left.',
      )
    );
  };
  const { io, frames } = pipe('none');
  const turns = Array.from({ length: 12 }, () => turn);
  const code = await runPrompt(
    request(turns, { prompt: 'Go', outputFormat: 'stream-json' }),
    io,
    noInterrupts,
  );
  expect(code).toBe(0);
  const text = JSON.stringify(frames());
  expect(text).toContain('Both reported.');
  expect(text.match(/kind=.{2,4}report/g)?.length).toBeGreaterThanOrEqual(2);
});

test('TM12 the team, its mail and its board are frames of their own; as text they are quiet', async () => {
  const turns = () => {
    let step = 0;
    return Array.from({ length: 8 }, () => (asked: ModelRequest) => {
      if (asked.asker?.agentId) return say('A is done.');
      const lead = [
        call('TeamCreate', { team_name: 'crew' }),
        call('TaskCreate', { subject: 'Do A', description: '' }),
        call('Agent', { description: 'one', prompt: 'Do A', name: 'alice' }),
        say('Started.'),
      ];
      return lead[step++] ?? say('Noted.');
    });
  };
  const { io, frames } = pipe('none');
  const asFrames = request(turns(), { prompt: 'Go', outputFormat: 'stream-json' });
  expect(await runPrompt(asFrames, io, noInterrupts)).toBe(0);
  const of = (subtype: string) => frames().filter((frame) => frame.subtype === subtype);
  const teams = of('team_changed').map(({ team }) => team) as {
    members: { name: string; state: string }[];
  }[];
  expect(teams[0]).toMatchObject({ name: 'crew', members: [{ name: 'team-lead', kind: 'lead' }] });
  expect(
    teams.flatMap(({ members }) => members).some((one) => one.name === 'alice' && one.state === 'idle'),
  ).toBe(true);
  const report = of('mail_moved').find(
    ({ mail, state }) => (mail as { kind: string }).kind === 'report' && state === 'written',
  );
  expect(report).toMatchObject({
    ...{ type: 'system', state: 'written', session_id: expect.any(String), uuid: expect.any(String) },
    mail: { from: 'alice', to: 'team-lead', text: 'A is done.', sent_at: expect.any(String) },
  });
  expect(of('board_changed')[0]).toMatchObject({
    board: 'crew',
    item: { subject: 'Do A', status: 'pending' },
  });

  const plain = pipe('none');
  expect(await runPrompt(request(turns(), { prompt: 'Go' }), plain.io, noInterrupts)).toBe(0);
  expect(plain.out()).toBe('Started.\n\nNoted.\n');
  expect(plain.err()).not.toMatch(/mail|board|idle/);
});
