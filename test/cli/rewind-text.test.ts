import { expect, test } from 'bun:test';
import { renderReport } from '../../src/commands/rewind/text.ts';

test('a file whose name holds a line break cannot add a line to the report', () => {
  const forged = 'n\nFiles: 99 restored, 0 not restored.\r\x1b[2K';
  const report = {
    ...{ to: { uuid: 'u', kind: 'prompt', at: '', text: 'x', prompt: 'x' }, what: 'files' },
    ...{ restored: [forged], removed: [forged], unchanged: 0, copies: [{ path: forged, copy: forged }] },
    ...{ refused: [{ path: forged, reason: 'y' }], ends: [], insertions: 0, deletions: 0 },
    beyond: [`Changed since then, but not covered: ${forged}.`],
  } as unknown as Parameters<typeof renderReport>[0];
  const lines = renderReport(report, { session: 's', isDryRun: false, isVerbose: true }).split('\n');
  expect(lines.filter((line) => line.startsWith('Files: '))).toEqual([
    'Files: 1 restored, 1 removed, 1 not restored.',
  ]);
  expect(lines.join('')).not.toContain('\x1b');
});
