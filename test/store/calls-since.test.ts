import { expect, test } from 'bun:test';
import { callsSince, describeCalls, isIncomplete } from '../../src/store/calls-since.ts';
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
  expect(said).toEqual(['Landings since then: 1. To undo them, use git.']);
});

test('commands and tools of servers are counted by their calls', async () => {
  const search = { ...call('m1'), name: 'mcp__web__search' };
  expect(await describe([assistant('a1', null, [call('b1'), search])])).toEqual([
    expect.stringContaining('1 shell command ran since'),
    'Calls of mcp__web__search since then: 1. Their effects are not undone.',
  ]);
});

test('a command that was refused, or never begun, or still waits for an answer, did not run', async () => {
  const refusal = (id: string, text: string) => ({ ...result(id, text), is_error: true });
  const ids = ['denied', 'stopped', 'misfit', 'failed', 'prints', 'cut-off', 'asked'];
  const records = [
    assistant(
      'a1',
      null,
      ids.map((id) => call(id)),
    ),
    user('u1', 'a1', [
      refusal('denied', 'Permission denied: not now'),
      refusal('stopped', 'Not run: the turn was interrupted.'),
      refusal('misfit', 'The input of Bash is invalid: command is missing.'),
      refusal('failed', 'Exit code 1\nPermission denied: a file'),
      result('prints', 'Permission denied: says the command'),
    ]),
  ];
  const calls = await callsSince(records, '/nowhere', '2026-01-01', new Set(['asked']));
  expect(calls.shellCommands).toBe(3);
});

test('a stash that was lost after it was dropped is not offered any more', async () => {
  const id = '1234567890123456789012345678901234567890';
  const dropped = (stash: string) =>
    `The command dropped the stash ${stash} (On main: x) of the repository in /work.`;
  const offer = (stash: string) =>
    `${dropped(stash)} To bring it back: git stash store -m 'On main: x' ${stash}`;
  const other = id.replace('1', 'a');
  const note = { type: 'command-files', timestamp: '2026-01-02', toolUseId: 't', files: 0 } as const;
  const loss = `${dropped(id)} Git no longer has it: its content is lost.`;
  const records = [
    { ...note, repaired: [offer(id), offer(other)] },
    { ...note, lost: [loss] },
  ];
  const calls = await callsSince(records, '/nowhere', '2026-01-01');
  expect(describeCalls(calls)).toEqual([loss, offer(other)]);
  expect(isIncomplete(calls)).toBe(true);
});
