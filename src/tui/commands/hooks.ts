import type { Desk } from '../desk.ts';
import { editFile } from '../edit-file.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { readReport } from './read-report.ts';

interface Report {
  hooks: Listed[];
  broken: { file: string; field: string; reason: string }[];
}

interface Listed {
  event: string;
  matcher: string;
  if?: string;
  state: 'runs' | 'held' | 'refused' | 'disabled';
  source: { kind: string; file: string; agent?: string; skill?: string };
  handler: {
    type: string;
    command?: string;
    url?: string;
    prompt?: string;
    timeoutMs?: number;
    async?: boolean;
  };
}

export const hooksCommand: SlashCommand = {
  name: 'hooks',
  description: 'hooks: what runs when, where each comes from',
  run: (_, desk) => openHooks(desk),
};

async function openHooks(desk: Desk, said?: string): Promise<void> {
  const report = await readReport<Report>(desk, ['hooks']);
  if (!report) return;
  const { hooks, broken } = report;
  const rows = [
    ...hooks.map(describeHook),
    ...broken.map((one, index) => describeBroken(one, hooks.length + index)),
  ];
  const files = [...hooks.map(({ source }) => source.file), ...broken.map(({ file }) => file)];
  desk.laterOpen(
    {
      kind: 'pick',
      title: 'Hooks\nSet in settings files, and in the frontmatter of agents and skills.',
      rows,
      selected: 0,
      empty: 'No hooks.',
      verb: 'opens it',
      staysOpen: true,
      ...(said === undefined ? {} : { said }),
      actions: [
        {
          key: 'e',
          does: 'edits its file',
          isForRow: true,
          run: (row) => {
            const file = files[Number(row?.value)];
            if (file) void editFile(desk, file).then((words) => openHooks(desk, words));
          },
        },
      ],
      pick: ({ label, preview = '' }) => {
        const under = desk.app.state.panel;
        desk.open({ kind: 'page', title: label, text: preview, down: 0, ...(under ? { under } : {}) });
      },
    },
    '/hooks',
  );
}

const states: Readonly<Record<Listed['state'], string>> = {
  runs: 'runs',
  held: 'inactive until you trust it: cadre trust',
  refused: 'refused: it points outside the repository',
  disabled: 'disabled by settings',
};

function describeHook(hook: Listed, index: number): PickRow {
  const { event, matcher, state, source, handler } = hook;
  const { type, command, url, prompt, timeoutMs } = handler;
  const what = command ?? url ?? prompt ?? type;
  const only = source.agent
    ? `, agent ${source.agent} only`
    : source.skill
      ? `, while ${source.skill} runs`
      : '';
  return {
    value: String(index),
    label: `${event}${matcher === '' ? '' : ` ${matcher}`}`,
    note: `${state === 'runs' ? '' : `${state} · `}${what}`,
    preview: [
      `${event}${matcher === '' ? '' : ` for ${matcher}`}`,
      ...(hook.if ? [`Only: ${hook.if}`] : []),
      '',
      `${type === 'command' ? 'Runs' : type === 'http' ? 'Asks' : 'Asks a model'}: ${what}`,
      ...(timeoutMs === undefined ? [] : [`Time limit: ${timeoutMs / 1000} seconds`]),
      ...(handler.async ? ['The run does not wait for it.'] : []),
      '',
      `State: ${states[state]}`,
      `From:  ${source.kind}, ${source.file}${only}`,
    ].join('\n'),
  };
}

function describeBroken({ file, field, reason }: Report['broken'][number], index: number): PickRow {
  return {
    value: String(index),
    label: `${file}: ${field}`,
    note: 'broken, never runs',
    preview: `${file}\n${field}\n\n${reason}`,
  };
}
