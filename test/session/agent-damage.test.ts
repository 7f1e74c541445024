import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { call, say } from '../../src/testing/index.ts';
import { open, type Place, place } from './support.ts';

const bypass = { permissionMode: 'bypassPermissions', allowBypass: true } as const;

/** A session whose agent has run one command, and is resumed after its transcript was damaged. */
async function resumeDamaged(damage: (line: string) => string | undefined) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const first = await open(
    at,
    [
      call('Agent', { description: 'Work', prompt: 'Work.', subagent_type: 'general-purpose' }),
      call('Bash', { command: 'echo once >> marks', description: 'Mark' }, 'toolu_marked'),
      say('Worked.'),
      say('Done.'),
    ],
    bypass,
  );
  await first.prompt('Start.');
  const [agent] = first.session.tasks();
  await first.session.close();
  const file = locateTranscript(first.session.info().transcriptPath ?? '', first.session.id);
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.map((line) => damage(line) ?? line).join('\n'));
  const again = await resume(at, first.session.id, agent?.id ?? '');
  return { file, ...again };
}

async function resume(at: Place, id: string, agentId: string) {
  const turns = [
    call('SendMessage', { to: agentId, message: 'Go on.' }),
    say('Going on.'),
    say('Going on.'),
    say('Going on.'),
  ];
  const second = await open(at, turns, { ...bypass, resume: { from: 'id', id } });
  await second.prompt('Resume it.');
  await second.session.finished(AbortSignal.timeout(20_000));
  await second.session.close();
  const requests = second.model.requests.map(({ messages }) => JSON.stringify(messages));
  const asked = requests.find((text) => text.includes('"Work."') && text.includes('Go on.')) ?? '';
  return { asked, notices: listNotices(second.events), at };
}

function listNotices(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
}

function locateTranscript(transcript: string, id: string): string {
  const folder = join(dirname(transcript), id, 'subagents');
  const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.jsonl'));
  return join(folder, name);
}

const hasCall = (line: string) => line.startsWith('{"type":"assistant"') && line.includes('toolu_marked');

test('SE4 a damaged line in an agent’s transcript is reported, and a call that was lost with it is told to the agent', async () => {
  const { file, asked, notices } = await resumeDamaged((line) =>
    hasCall(line) ? line.replace('"type":"assistant"', '"type":"assistant') : undefined,
  );
  expect(notices.filter((text) => text.includes(`${file} was damaged (line `))).toHaveLength(1);
  expect(asked).toContain('toolu_marked: interrupted, result unknown');
});

test('SE4 an agent’s transcript with zeros in place of a result is reported, and the call is answered as interrupted', async () => {
  const { file, asked, notices } = await resumeDamaged((line) =>
    line.includes('"tool_use_id":"toolu_marked"') ? '\0'.repeat(line.length) : undefined,
  );
  expect(notices.filter((text) => text.includes(`${file} was damaged (line `))).toHaveLength(1);
  expect(asked).toContain('Interrupted, result unknown');
});

test('an agent whose transcript is whole is told of nothing', async () => {
  const { asked, notices } = await resumeDamaged(() => undefined);
  expect(notices.join()).not.toContain('damaged');
  expect(asked).not.toContain('result unknown');
});

test('SE4 the lead is told of a call that was lost with its message, once', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const mark = call('Bash', { command: 'echo once >> marks', description: 'Mark' }, 'toolu_marked');
  const first = await open(at, [mark, say('Done.')], bypass);
  await first.prompt('Start.');
  await first.session.close();
  const { id } = first.session;
  const file = first.session.info().transcriptPath ?? '';
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.map((line) => (hasCall(line) ? line.slice(1) : line)).join('\n'));
  for (let round = 0; round < 2; round++) {
    const next = await open(at, [say('Seen.')], { ...bypass, resume: { from: 'id', id } });
    await next.prompt(`Round ${round}.`);
    const asked = JSON.stringify(next.model.requests[0]?.messages);
    expect(asked.split('toolu_marked: interrupted, result unknown')).toHaveLength(2);
    await next.session.close();
  }
});
