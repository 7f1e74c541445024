import { join } from 'node:path';
import { isAgentName } from '../../agents/agent-schema.ts';
import type { Desk } from '../desk.ts';
import { editFile } from '../edit-file.ts';
import { emptyEditor } from '../editor/index.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings } from './places.ts';
import { readReport } from './read-report.ts';

interface Report {
  agents: Listed[];
  broken: { file: string; line?: number; reason: string }[];
}

interface Listed {
  name: string;
  description: string;
  source: string;
  file?: string;
  model?: string;
  tools: '*' | readonly string[];
  disallowedTools?: readonly string[];
  notes?: readonly string[];
}

export const agentsCommand: SlashCommand = {
  name: 'agents',
  description: 'agent types: look at one, change it, make a new one',
  run: (_, desk) => openAgents(desk),
};

async function openAgents(desk: Desk, said?: string, at?: string): Promise<void> {
  const report = await readReport<Report>(desk, ['agents']);
  if (!report) return;
  const { agents, broken } = report;
  const rows = [...agents.map(describeAgent), ...broken.map(describeBroken)];
  const again = (words: string, name?: string) => openAgents(desk, words, name);
  desk.laterOpen(
    {
      kind: 'pick',
      title: 'Agent types\nThe lead starts them as it needs; @agent-NAME in a prompt asks for one.',
      rows,
      selected: Math.max(
        0,
        rows.findIndex(({ value }) => value === at),
      ),
      verb: 'opens it',
      staysOpen: true,
      ...(said === undefined ? {} : { said }),
      actions: [
        {
          key: 'e',
          does: 'edits its file',
          isForRow: true,
          fits: (row) => findFile(report, row) !== undefined,
          run: (row) => {
            const file = findFile(report, row);
            if (file !== undefined) void editFile(desk, file).then((words) => again(words, row?.value));
          },
        },
        { key: 'n', does: 'makes a new one', isForRow: false, run: () => nameAgent(desk, again) },
      ],
      pick: ({ value }) => void showAgent(desk, value, report),
    },
    '/agents',
  );
}

function describeAgent(agent: Listed): PickRow {
  const { name, description, source, file, model = 'inherit', tools, disallowedTools, notes = [] } = agent;
  return {
    value: name,
    label: name,
    note: `${source} · ${model === 'inherit' ? "the lead's model" : model}`,
    preview: [
      name,
      '',
      description,
      '',
      `From:  ${file ?? source}`,
      `Model: ${model === 'inherit' ? "the lead's" : model}`,
      `Tools: ${tools === '*' ? 'all' : tools.join(', ') || 'none'}`,
      ...(disallowedTools && disallowedTools.length > 0 ? [`Never: ${disallowedTools.join(', ')}`] : []),
      ...notes.map((note) => `Note:  ${note}`),
    ].join('\n'),
  };
}

function describeBroken({ file, line, reason }: Report['broken'][number]): PickRow {
  const where = `${file}${line === undefined ? '' : `:${line}`}`;
  return { value: file, label: where, note: 'broken, not loaded', preview: `${where}\n\n${reason}` };
}

function findFile({ agents, broken }: Report, row: PickRow | undefined): string | undefined {
  const agent = agents.find(({ name }) => name === row?.value);
  return agent ? agent.file : broken.find(({ file }) => file === row?.value)?.file;
}

/** Its tools and what each layer removed, as `cadre agents show` prints them. */
async function showAgent(desk: Desk, name: string, { agents }: Report): Promise<void> {
  const under = desk.app.state.panel;
  const isKnown = agents.some((agent) => agent.name === name);
  if (!isKnown) return;
  const text = await desk.world.report(['agents', 'show', name]);
  if (desk.app.state.panel !== under) return;
  desk.open({ kind: 'page', title: `Agent type ${name}`, text, down: 0, ...(under ? { under } : {}) });
}

function nameAgent(desk: Desk, again: (words: string, name?: string) => Promise<void>): void {
  const under = desk.app.state.panel;
  desk.open({
    kind: 'field',
    title: 'What is the new agent type called?',
    about: 'Letters, digits and dashes, such as test-writer.',
    placeholder: 'name',
    editor: emptyEditor(),
    ...(under ? { under } : {}),
    save: async (name) => {
      if (!isAgentName(name)) return 'Use letters, digits and dashes.';
      choosePlace(desk, name, again);
      return undefined;
    },
  });
}

function choosePlace(desk: Desk, name: string, again: (words: string, name?: string) => Promise<void>): void {
  const { root, home } = findSurroundings(desk);
  const places = {
    project: ['this repository, for everyone', join(root, '.cadre/agents', `${name}.md`)],
    user: ['all your projects', join(home, 'agents', `${name}.md`)],
  } as const;
  desk.open({
    kind: 'pick',
    title: `Where does ${name} apply?`,
    rows: (['project', 'user'] as const).map((value) => ({
      value,
      label: places[value][0],
      note: places[value][1],
    })),
    selected: 0,
    pick: ({ value }) =>
      void editFile(desk, places[value === 'user' ? 'user' : 'project'][1], makeTemplate(name)).then(
        (words) => again(words, name),
      ),
  });
}

function makeTemplate(name: string): string {
  return `---
name: ${name}
description: When to use it, in a sentence. The lead chooses by this.
# tools: Read, Grep, Glob
# model: inherit
---

You are … Say what to do, what to leave alone, and what to report.
`;
}
