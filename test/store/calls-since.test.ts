import { expect, test } from 'bun:test';
import { callsSince, describeCalls } from '../../src/store/calls-since.ts';
import { assistant, call, result, user } from './build.ts';

const land = (id: string) => ({ ...call(id), name: 'Land' });

const describe = async (records: Parameters<typeof callsSince>[0]) =>
  describeCalls(await callsSince(records, '/nowhere', '2026-01-01'));

test('work counts as landed where the report says so: not a look, a conflict, or a call that was cut off', async () => {
  const said = await describe([
    assistant('a1', null, [land('looked'), land('met'), land('landed'), land('cut-off')]),
    user('u1', 'a1', [
      result('looked', 'first: to land   work: 1 commit'),
      result('met', 'conflict  work with main:\nNothing was landed on main.'),
      result('landed', 'conflict  other with main:\nlanded    work: 1 commit: a.txt\nmain is at 1 now.'),
    ]),
  ]);
  expect(said).toEqual(['Work was landed since (1): git has it, and only git takes it back.']);
});

test('commands and tools of servers are counted by their calls', async () => {
  const search = { ...call('m1'), name: 'mcp__web__search' };
  expect(await describe([assistant('a1', null, [call('b1'), search])])).toEqual([
    expect.stringContaining('1 shell command ran since'),
    'mcp__web__search was called since (1): what it did stays.',
  ]);
});
