import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPaneTest, openPanes } from './panes-support.ts';

test('TM14 the five verbs get their values as arguments and variables', async () => {
  const at = newPaneTest();
  const note = (rest = '') =>
    `{ printf '%s|' "$0" "$@"; echo "$CADRE_PANE_ID|$CADRE_PANE_TITLE|$CADRE_PANE_COLOUR|$CADRE_PANE_TEXT"; } >> '${at.cwd}/calls'${rest}`;
  const commands = {
    ...{ open: note('; echo; echo 17'), title: note(), send: note(), close: note() },
    list: "printf '17\\tone\\n18\\n\\n'",
  };
  const { backend } = openPanes('command', newPaneTest({}, { commands }));
  const wish = {
    command: ['prog', "it's; $(x)"],
    cwd: at.cwd,
    team: 'docs',
    title: 'ann@docs',
    colour: 'cyan',
    mark: 'm',
  };
  expect(await backend.open(wish)).toEqual({ ok: true, value: { id: '17' } });
  await backend.title('17', 'Ann #(x)', 'not a colour');
  await backend.send('17', 'Hello "you" $(x)');
  expect(await backend.list()).toEqual({ ok: true, value: [{ id: '17' }, { id: '18' }] });
  expect(await backend.find('19')).toEqual({ ok: true, value: undefined });
  await backend.close('17');
  expect(readFileSync(join(at.cwd, 'calls'), 'utf8').split('\n')).toEqual([
    "teammateCommand.open|prog|it's; $(x)||ann@docs|cyan|",
    'teammateCommand.title|17|ann@docs|17|ann@docs|cyan|',
    'teammateCommand.title|17|Ann ＃(x)|17|Ann ＃(x)||',
    'teammateCommand.send|17|Hello "you" $(x)|17|||Hello "you" $(x)',
    'teammateCommand.close|17|17|||',
    '',
  ]);
});

test('TM14 a name with the letters of a shell does not become a command', async () => {
  const at = newPaneTest();
  const commands = { open: 'echo 1', title: ': "$1" "$2"', send: ': "$2"', list: 'echo 1', close: ':' };
  const { backend } = openPanes('command', newPaneTest({}, { commands }));
  const file = join(at.cwd, 'made');
  await backend.title(`1"; touch ${file}; "`, `$(touch ${file})`, 'red');
  await backend.send('1', `"; touch ${file} #`);
  expect(existsSync(file)).toBe(false);
});

test('TM14 a verb that is missing, fails, or prints no id is a problem that names it', async () => {
  const none = openPanes('command', newPaneTest({}, { commands: { open: 'true', list: 'true' } })).executor;
  expect(await none.isAvailable()).toMatchObject({
    problem: {
      kind: 'usage',
      message:
        'The teammate mode "command" needs teammateCommand.title, teammateCommand.send, teammateCommand.close.',
    },
  });
  const at = newPaneTest({}, { commands: { open: 'echo; echo' } });
  expect(await openPanes('command', at).executor.spawn(at.spec('ann'))).toMatchObject({
    problem: { message: 'teammateCommand.open printed no usable id: nothing.' },
  });
  const failing = newPaneTest({}, { commands: { open: 'echo "no such terminal" >&2; exit 3' } });
  expect(await openPanes('command', failing).executor.spawn(failing.spec('ann'))).toMatchObject({
    problem: { message: 'teammateCommand.open: no such terminal' },
  });
});

test('TM14 a terminal that open leaves running does not hold it up', async () => {
  const commands = { open: 'sleep 30 & echo $!' };
  const at = newPaneTest({}, { commands });
  const { backend } = openPanes('command', at);
  const wish = { command: ['true'], cwd: at.cwd, team: 'docs', title: 't', colour: '', mark: 'm' };
  const opened = await backend.open(wish);
  if (!opened.ok) throw new Error(opened.problem.message);
  // It is still running, and ours to end.
  process.kill(Number(opened.value.id), 'SIGKILL');
});
