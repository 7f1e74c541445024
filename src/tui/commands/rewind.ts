import { formatDay } from '../../lib/text/local-time.ts';
import { visibleNames } from '../../lib/text/text.ts';
import { describeProgress, type RewindReport } from '../../rewind/report.ts';
import { describeFilesChanged } from '../../store/checkpoints.ts';
import type { Desk } from '../desk.ts';
import { isEmpty, recordPrompt, reopenPrompt } from '../editor/index.ts';
import { describeRewound, nameFiles } from '../screen/rewound.ts';
import { stillRunning } from '../terminal/leave.ts';
import type { SlashCommand } from './command.ts';

export const rewindCommand: SlashCommand = {
  name: 'rewind',
  description: 'restore the conversation and files to an earlier prompt',
  async run(_, desk) {
    const found = await desk.session.checkpoints();
    if (!found.ok) return desk.warn(found.problem.message);
    if (found.value.length === 0) return desk.tell('No prompts to rewind to yet.');
    const rows = found.value.toReversed().map((point) => ({
      value: point.uuid,
      label: point.kind === 'rewind' ? `undo the last /rewind: back to ${point.text}` : point.text,
      note: `${formatDay(Date.parse(point.at), desk.app.clock.now())} · ${describeFilesChanged(point)}`,
    }));
    const pick = ({ value }: { value: string }) => void chooseWhat(desk, value);
    const title =
      'Go back to before which prompt?\nEach line shows when it was sent and how many files changed since.';
    desk.open({ kind: 'pick', title, rows, selected: 0, pick });
  },
};

/** The work that it announces to stop, and stops. */
const ending = { stop: true, stopAgents: true, stopCommands: true };

async function chooseWhat(desk: Desk, to: string): Promise<void> {
  const preview = await desk.session.previewRewind({ to, what: 'both', ...ending });
  if (!preview.ok) return desk.warn(preview.problem.message);
  const files = filesLine(preview.value);
  const { refused, beyond, ends } = preview.value;
  const running = stillRunning(
    desk.app.state.view,
    ({ kind, id }) => kind === 'agent' || ends.includes(id),
  ).replace(/^; this stops /, 'This stops ');
  const { places } = desk.app.drawing();
  const about = [
    ...(running === '' ? [] : [`${running}.`]),
    ...describeRewound(preview.value, places, ['Restores', 'Removes']),
    ...leftLines(refused, desk),
    ...beyond,
  ];
  const rows = [
    { value: 'both', label: 'conversation and files', note: files },
    { value: 'conversation', label: 'the conversation only' },
    { value: 'files', label: 'the files only', note: files },
    ...(refused.some(({ needsForce }) => needsForce)
      ? [
          {
            value: 'force',
            label: 'both, and overwrite files changed since',
            note: 'copies of those are kept',
          },
        ]
      : []),
  ];
  desk.open({
    kind: 'pick',
    title: ['What do you want to restore?', ...about.map(visibleNames)].join('\n'),
    rows,
    selected: 0,
    pick: ({ value }) => void goBack(desk, to, value),
  });
}

async function goBack(desk: Desk, to: string, value: string): Promise<void> {
  const what = value === 'conversation' || value === 'files' ? value : 'both';
  const { editor } = desk.app.state;
  const progress = showProgress(desk);
  const done = await desk.session.rewind({
    to,
    what,
    ...ending,
    onProgress: progress.show,
    ...(value === 'force' ? { force: true } : {}),
  });
  progress.end();
  if (!done.ok) return desk.warn([done.problem.message, done.problem.hint].filter(Boolean).join(' '));
  const { refused, copies, beyond, to: point } = done.value;
  // Later messages stay readable above but no longer count. Text typed meanwhile stays too, sent or not: a
  // return meant for it must not send the old prompt again.
  const isUntouched = desk.app.state.editor === editor && isEmpty(editor);
  if (what !== 'files' && isUntouched) desk.app.change({ editor: reopenPrompt(point.prompt) });
  else if (what !== 'files') desk.world.history.add(recordPrompt(reopenPrompt(point.prompt)));
  // The rewind is an entry of the conversation; this says what the entry does not.
  const more = [...leftLines(refused, desk), ...copyLines(copies), ...beyond];
  if (more.length === 0) return;
  // The entry comes with the session's events, a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  desk.app.flush();
  desk.tell(more.map(visibleNames).join('\n'));
}

/** The progress, in the place of hints; it does not replace other notices. */
function showProgress({ app }: Desk): { show(done: number, of: number): void; end(): void } {
  let shown: string | undefined;
  const change = (hint: string | undefined) => {
    if (app.state.hint === undefined || app.state.hint === shown) app.change({ hint });
    shown = hint;
  };
  change('Rewinding …');
  return { show: (done, of) => change(describeProgress(done, of)), end: () => change(undefined) };
}

const maxNamed = 5;

function copyLines(copies: RewindReport['copies']): string[] {
  const more = copies.length - maxNamed;
  return [
    ...copies.slice(0, maxNamed).map(({ path, copy }) => `The previous content of ${path} is in ${copy}`),
    ...(more > 0 ? [`and ${more} more, in the same directory`] : []),
  ];
}

/** A line for each reason why files stay unchanged. */
function leftLines(refused: RewindReport['refused'], desk: Desk): string[] {
  const { places } = desk.app.drawing();
  const byReason = Map.groupBy(refused, ({ reason }) => reason.replace(/\.$/, ''));
  return [...byReason].map(([reason, files]) => {
    const paths = files.map(({ path }) => path);
    return `Left unchanged because ${reason}: ${nameFiles(paths, places)}.`;
  });
}

function filesLine({ restored, removed, insertions, deletions, beyond, isIncomplete }: RewindReport): string {
  const count = restored.length + removed.length;
  const more = isIncomplete ? ' Others may be missing or changed.' : '';
  if (count === 0) return `${beyond.length > 0 ? 'No known file changes.' : 'No file changes.'}${more}`;
  return `${count} ${count === 1 ? 'file' : 'files'}, +${insertions} −${deletions} lines.${more}`;
}
