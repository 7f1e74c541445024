import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { type Opened, open, place } from './support.ts';

const bypass = { permissionMode: 'bypassPermissions', allowBypass: true } as const;

/** A session with two prompts and two agents that have ended. */
async function prepare() {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const job = { description: 'Work', subagent_type: 'general-purpose' };
  const turns = [
    call('Agent', { ...job, prompt: 'Work on one.' }),
    say('One worked.'),
    call('Agent', { ...job, prompt: 'Work on two.' }),
    say('Two worked.'),
    say('Both done.'),
    say('Answered.'),
  ];
  const first = await open(at, turns, bypass);
  await first.prompt('Start.');
  await first.prompt('Ask.');
  const path = first.session.info().transcriptPath ?? '';
  const [one = '', two = ''] = first.session.tasks().map(({ id }) => id);
  const id = first.session.id;
  await first.session.close();
  const folder = join(dirname(path), id, 'subagents');
  const names = readdirSync(folder);
  const locate = (agent: string) => join(folder, names.find((name) => name.includes(agent)) ?? '');
  return { at, id, path, one, two, locate };
}

function swap(one: string, other: string): void {
  renameSync(one, `${one}.aside`);
  renameSync(other, one);
  renameSync(`${one}.aside`, other);
}

function listNotices({ events }: Opened): string {
  return events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : [])).join('\n');
}

test("G4 a lead's transcript that was swapped with an agent's is refused by name, and not changed", async () => {
  const { at, id, path, one, locate } = await prepare();
  swap(path, locate(one));
  const before = readFileSync(path, 'utf8');
  const opened = open(at, [say('Hm.')], { ...bypass, resume: { from: 'id', id } });
  await expect(opened).rejects.toThrow(
    `${path} holds the conversation of the agent ${one}, not that of the lead`,
  );
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('G4 an agent whose transcript was swapped with that of another is not resumed', async () => {
  const { at, id, one, two, locate } = await prepare();
  swap(locate(one), locate(two));
  const turns = [call('SendMessage', { to: one, message: 'Continue.' }), say('Well.'), say('Well.')];
  const next = await open(at, turns, { ...bypass, resume: { from: 'id', id } });
  await next.prompt('Resume it.');
  await next.session.close();
  const sent = JSON.stringify(next.model.requests.at(-1)?.messages);
  expect(sent).toContain(`holds the conversation of the agent ${two}, not that of the agent ${one}`);
});

for (const [name, move] of [
  ['in reverse order', (lines: string[]) => lines.toReversed()],
  [
    'with the first and the last message swapped',
    (lines: string[]) => {
      const isMessage = (line: string) => /^\{"type":"(user|assistant)"/.test(line);
      const [first, last] = [lines.findIndex(isMessage), lines.findLastIndex(isMessage)];
      return lines.with(first, lines[last] ?? '').with(last, lines[first] ?? '');
    },
  ],
] as const)
  test(`G4 a transcript ${name} is put in order, and the user hears of it`, async () => {
    const { at, id, path } = await prepare();
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    writeFileSync(path, `${move(lines).join('\n')}\n`);
    const next = await open(at, [say('Yes.')], { ...bypass, resume: { from: 'id', id } });
    await next.prompt('All there?');
    await next.session.close();
    const said = next.model.requests[0]?.messages.map(({ content }) => JSON.stringify(content)) ?? [];
    const places = ['Start.', 'Both done.', 'Ask.', 'Answered.', 'All there?'].map((text) =>
      said.findIndex((one) => one.includes(text)),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(listNotices(next)).toContain('messages were put in order');
  });

test("G4 a transcript with another session's name is named", async () => {
  const { at, path } = await prepare();
  const id = '99999999-2222-4333-8444-555555555555';
  renameSync(path, join(dirname(path), `${id}.jsonl`));
  const next = await open(at, [say('Yes.')], { ...bypass, resume: { from: 'id', id } });
  await next.prompt('Go.');
  await next.session.close();
  expect(listNotices(next)).toContain('the file was renamed, copied or swapped');
});
