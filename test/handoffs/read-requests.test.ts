import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTranscriptRequests } from '../../src/handoffs/read-requests.ts';
import { call, say } from '../../src/testing/index.ts';
import { open, place } from '../session/support.ts';

test('HO6 the usage of every request is read from the transcript of an agent', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const { session, prompt, events } = await open(at, [call('Glob', { pattern: '*.ts' }), say('None.')]);
  await prompt('Look.');
  await session.close();
  const projects = join(at.home, 'projects');
  const [file = ''] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const requests = await readTranscriptRequests(join(projects, file));
  expect(requests).toHaveLength(2);
  const answered = events.flatMap((event) =>
    event.type === 'message_added' && event.record.type === 'assistant' ? [event.record.message.usage] : [],
  );
  expect(requests).toEqual(answered);
  expect(await readTranscriptRequests(join(projects, 'none.jsonl'))).toBeUndefined();
});
