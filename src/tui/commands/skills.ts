import type { Desk } from '../desk.ts';
import { editFile } from '../edit-file.ts';
import { createEditor, isEmpty } from '../editor/index.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { readReport } from './read-report.ts';

interface Listed {
  name: string;
  kind: 'skill' | 'command';
  source: string;
  file: string;
  description: string;
  argumentHint?: string;
  allowedTools?: readonly string[];
  userInvocable: boolean;
  modelInvocable: boolean;
  notes: readonly string[];
  trust: 'plain' | 'trusted' | 'held' | 'changed';
}

interface Broken {
  file: string;
  line?: number;
  reason: string;
}

export const skillsCommand: SlashCommand = {
  name: 'skills',
  description: 'skills and commands of yours: use one, look at it, change it',
  run: (_, desk) => openSkills(desk),
};

async function openSkills(desk: Desk, said?: string, at?: string): Promise<void> {
  const skills = await readReport<{ skills: Listed[]; broken: Broken[] }>(desk, ['skills']);
  const commands = skills && (await readReport<{ commands: Listed[] }>(desk, ['commands']));
  if (!skills || !commands) return;
  const all = [...skills.skills, ...commands.commands.filter(({ kind }) => kind === 'command')];
  const rows = [...all.map(describeSkill), ...skills.broken.map(describeBroken)];
  desk.laterOpen(
    {
      kind: 'pick',
      title: 'Skills and commands\nThe lead uses a skill where it fits; /NAME uses it now.',
      rows,
      selected: Math.max(
        0,
        rows.findIndex(({ value }) => value === at),
      ),
      empty:
        'None yet. A skill is a file such as .cadre/skills/release/SKILL.md, a command .cadre/commands/fix.md.',
      verb: 'puts it into the prompt',
      staysOpen: true,
      ...(said === undefined ? {} : { said }),
      actions: [
        {
          key: 'e',
          does: 'edits its file',
          isForRow: true,
          run: (row) => {
            const file = all.find(({ name }) => name === row?.value)?.file ?? row?.value;
            if (file) void editFile(desk, file).then((words) => openSkills(desk, words, row?.value));
          },
        },
      ],
      pick: ({ value }) => {
        const skill = all.find(({ name }) => name === value);
        if (!skill) return void openSkills(desk, 'It is broken: ctrl-e opens its file.', value);
        if (!skill.userInvocable) return void openSkills(desk, `Only the lead uses ${value}.`, value);
        if (!isEmpty(desk.app.state.editor))
          return void openSkills(desk, 'The prompt has text in it: send it or clear it first.', value);
        desk.app.closePanel();
        desk.app.change({ editor: createEditor(`/${value} `) });
      },
    },
    '/skills',
  );
}

const standings: Readonly<Record<Listed['trust'], string>> = {
  plain: '',
  trusted: 'trusted',
  held: 'its rights are inactive until you trust it: cadre trust',
  changed: 'changed since you trusted it: cadre trust',
};

function describeSkill(skill: Listed): PickRow {
  const { name, kind, source, file, description, argumentHint, allowedTools, notes, trust } = skill;
  return {
    value: name,
    label: `/${name}${argumentHint ? ` ${argumentHint}` : ''}`,
    note: `${kind} · ${source}${trust === 'held' || trust === 'changed' ? ' · not trusted' : ''}`,
    preview: [
      `/${name}`,
      '',
      description,
      '',
      `File:   ${file}`,
      ...(allowedTools ? [`Allows: ${allowedTools.join(', ')}`] : []),
      ...(skill.modelInvocable ? [] : ['Only you use it: the lead does not.']),
      ...(standings[trust] === '' ? [] : [`Trust:  ${standings[trust]}`]),
      ...notes.map((note) => `Note:   ${note}`),
    ].join('\n'),
  };
}

function describeBroken({ file, line, reason }: Broken): PickRow {
  const where = `${file}${line === undefined ? '' : `:${line}`}`;
  return { value: file, label: where, note: 'broken, not loaded', preview: `${where}\n\n${reason}` };
}
