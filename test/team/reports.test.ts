import { expect, test } from 'bun:test';
import { failure, ok } from '../../src/lib/result.ts';
import { type MailMessage, noUsage, type Outcome } from '../../src/protocol/index.ts';
import { Reports } from '../../src/team/member/reports.ts';

const completed = (text: string): Outcome => ({ kind: 'completed', text, turns: 1, usage: noUsage });
const failed: Outcome = { ...completed(''), kind: 'failed', reason: 'the disk is full' };

function open() {
  const sent: string[] = [];
  const problems: string[] = [];
  const disk = { isFull: false };
  const reports = new Reports({
    async post({ text }) {
      if (disk.isFull) return failure('The disk is full.');
      sent.push(text);
      return ok({ id: `mail-${sent.length}`, text } as MailMessage);
    },
    check: (text) => text,
    failed: ({ message }) => void problems.push(message),
  });
  return { disk, problems, reports, sent };
}

test('TM12 a report that could not be sent goes out before the next one, which is then the latest', async () => {
  const { disk, problems, reports, sent } = open();
  disk.isFull = true;
  await reports.send(failed);
  await reports.sendOwed(failed);
  expect(problems).toEqual(['The disk is full.']);
  disk.isFull = false;
  await reports.send(completed('All is well.'));
  expect(sent).toEqual([
    'I did not finish (failed): the disk is full\n\nI had said nothing yet.',
    'All is well.',
  ]);
  expect(reports.last).toBe('mail-2');
});

test('TM12 a report longer than mail may be is sent with both its ends', async () => {
  const { reports, sent } = open();
  await reports.send(completed(`start ${'x'.repeat(200_000)} end`));
  expect(sent[0]?.length).toBeLessThan(100_000);
  expect(sent[0]).toMatch(/^start x+\n\n\[110010 characters are left out here\]\n\nx+ end$/);
});
