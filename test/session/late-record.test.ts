import { expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

test('SE1 a record of a process that had lost the session is ignored when it is opened, and the user hears of it', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const first = await open(at, [say('One.')]);
  await first.prompt('First.');
  const path = first.session.info().transcriptPath ?? '';
  await first.session.close();
  const options = { resume: { from: 'id' as const, id: first.session.id } };
  const second = await open(at, [say('Two.')], options);
  await second.prompt('Second.');
  await second.session.close();

  const records = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map(({ epoch }) => epoch)).toEqual(records.map(({ epoch }) => epoch).sort());
  expect(records.findIndex(({ epoch }) => epoch === 2)).toBe(
    records.findIndex(({ type }) => type === 'epoch'),
  );
  const last = records.findLast(({ type }) => type === 'assistant');
  appendFileSync(
    path,
    `${JSON.stringify({ ...records.find(({ type }) => type === 'user'), uuid: 'late', parentUuid: last.uuid, epoch: 1 })}\n`,
  );

  const third = await open(at, [say('Three.')], options);
  await third.prompt('Third.');
  const notices = third.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
  expect(notices).toContainEqual(
    expect.stringContaining(
      `line ${records.length + 1} ignored, written by a process after another had taken`,
    ),
  );
  const sent = third.model.requests[0]?.messages.map(({ content }) => JSON.stringify(content)) ?? [];
  expect(sent.filter((text) => text.includes('First.'))).toHaveLength(1);
  await third.session.close();
});
