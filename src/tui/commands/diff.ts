import { dirname } from 'node:path';
import { diffLines } from '../../lib/text/diff.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { typedBlocks } from '../../protocol/additions.ts';
import { type TranscriptRecord, textOf, type UserRecord } from '../../protocol/index.ts';
import { listFileChanges, readFileState, type SessionChange } from '../../store/files/file-changes.ts';
import { createSessionLayout } from '../../store/layout.ts';
import type { Desk } from '../desk.ts';
import { readEarlier } from '../earlier.ts';
import type { ComparedFile } from '../panels/compared-file.ts';
import { listReviewRows, openReview } from '../panels/press-review.ts';
import type { Panel, PickRow } from '../state.ts';
import { shortenPlaces } from '../text/index.ts';
import type { SlashCommand } from './command.ts';

/** How much of a transcript is looked through. */
const maxBytes = 64 * 1024 * 1024;
const maxTurns = 100;
const maxTitle = 120;

export const diffCommand: SlashCommand = {
  name: 'diff',
  description: 'what changed: in this session, in each turn, by each agent',
  async run(_, desk) {
    const { transcriptPath, id } = desk.session.info();
    if (transcriptPath === null)
      return desk.tell('This session keeps no transcript, so its changes are not known.');
    // Changes by commands are known once they are looked for.
    const settled = await desk.session.checkpoints();
    if (!settled.ok) return desk.warn(settled.problem.message);
    const records = readEarlier(transcriptPath, maxBytes);
    const parts = listParts(records, desk);
    const reviews = await listReviewRows(desk);
    if (parts.length === 0 && reviews.length === 0)
      return desk.tell('No file has been changed in this session.');
    const directory = createSessionLayout(dirname(transcriptPath), id).fileHistory;
    openParts(desk, parts, reviews, directory);
  },
};

type IsWanted = NonNullable<Parameters<typeof listFileChanges>[1]>;

/** A part of the session's work. */
interface Part {
  readonly title: string;
  readonly label: string;
  readonly changes: readonly SessionChange[];
}

function listParts(records: readonly TranscriptRecord[], desk: Desk): Part[] {
  const { agents } = desk.app.state.view;
  const apart = [...agents.values()].flatMap(({ worktree }) => (worktree ? [`${worktree.path}/`] : []));
  // What is in a worktree has not come here yet: it is listed by itself.
  const isHere: IsWanted = ({ path }) => !apart.some((place) => path.startsWith(place));
  const whole = {
    title: 'Changes in this session',
    label: 'This session',
    changes: listFileChanges(records, isHere),
  };
  const parts = [whole, ...listTurns(records, isHere), ...listAgents(records, desk)];
  return parts.filter(({ changes }) => changes.length > 0);
}

/** Newest first. */
function listTurns(records: readonly TranscriptRecord[], isHere: IsWanted): Part[] {
  const prompts = records.flatMap((record, at) => (isPrompt(record) ? [{ record, at }] : []));
  return prompts
    .map(({ record, at }, index) => {
      const text = visibleLine(textOf(typedBlocks(record.message.content)).trim(), maxTitle) || '(no text)';
      const changes = listFileChanges(records.slice(at, prompts[index + 1]?.at), isHere);
      return { title: `Changes since the prompt: ${text}`, label: `Turn: ${text}`, changes };
    })
    .slice(-maxTurns)
    .toReversed();
}

function isPrompt(record: TranscriptRecord): record is UserRecord {
  return record.type === 'user' && record.origin.kind === 'human' && record.copyOf === undefined;
}

function listAgents(records: readonly TranscriptRecord[], desk: Desk): Part[] {
  const { agents } = desk.app.state.view;
  const ids = new Set(
    records.flatMap((record) => (record.type === 'file-history' ? [record.agentId ?? null] : [])),
  );
  // Without other agents it is the same as the session.
  if (ids.size === 1 && ids.has(null)) return [];
  return [...ids].map((id) => {
    const agent = id === null ? undefined : agents.get(id);
    const name = id === null ? 'the lead' : agent ? `${agent.type} ${agent.description}` : `agent ${id}`;
    const changes = listFileChanges(records, ({ agentId }) => (agentId ?? null) === id);
    return { title: `Changes by ${name}`, label: `Agent: ${name}`, changes };
  });
}

function openParts(desk: Desk, parts: readonly Part[], reviews: readonly PickRow[], directory: string): void {
  const { places } = desk.app.drawing();
  const rows = [
    ...parts.map(({ label, changes }, index): PickRow => {
      const names = changes.map(({ path }) => shortenPlaces(path, places));
      return {
        value: String(index),
        label,
        note: `${names.length} ${names.length === 1 ? 'file' : 'files'}`,
        preview: names.join('\n'),
      };
    }),
    ...reviews.map(
      (row): PickRow => ({ ...row, value: `worktree ${row.value}`, label: `Worktree: ${row.label}` }),
    ),
  ];
  const panel: Panel = {
    kind: 'pick',
    title: 'Show which changes?',
    verb: 'opens',
    rows,
    selected: 0,
    pick({ value }) {
      if (value.startsWith('worktree '))
        return void openReview(desk, { name: value.slice('worktree '.length) });
      const part = parts[Number(value)];
      if (part) openChanges(desk, part, directory, panel);
    },
  };
  desk.open(panel);
}

function openChanges(desk: Desk, { title, changes }: Part, directory: string, under: Panel): void {
  const files = changes.map((change) => readChange(change, directory));
  const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0);
  desk.open({
    kind: 'changes',
    title: `${title} · ${files.length} ${files.length === 1 ? 'file' : 'files'} +${sum('added')} −${sum('removed')}`,
    files,
    cache: new WeakMap(),
    down: 0,
    under,
  });
}

function readChange({ path, before, after }: SessionChange, directory: string): ComparedFile {
  const [then, now] = [before, after].map((state) => readFileState(path, state, directory));
  for (const state of [then, now])
    if (state && 'hidden' in state)
      return { path, before: '', after: '', hidden: state.hidden, added: 0, removed: 0 };
  const [old, text] = [then, now].map((state) => (state && 'text' in state ? state.text : null));
  const lines = diffLines(old ?? '', text ?? '').flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { path, before: old ?? null, after: text ?? null, added: count('+'), removed: count('-') };
}
