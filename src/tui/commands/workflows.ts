import { localMinute } from '../../lib/text/local-time.ts';
import type { WorkflowCallView } from '../../protocol/workflow.ts';
import type { ShownWorkflow } from '../../view/index.ts';
import { renderCensus } from '../../workflows/census.ts';
import type { FoundScript } from '../../workflows/find-scripts.ts';
import type { RunDescription } from '../../workflows/list-runs.ts';
import type { Desk } from '../desk.ts';
import { createEditor, isEmpty } from '../editor/index.ts';
import type { PickRow } from '../state.ts';
import type { SlashCommand } from './command.ts';
import { findSurroundings } from './places.ts';

export const workflowsCommand: SlashCommand = {
  name: 'workflows',
  description: 'workflows: their runs with phases and calls; start, stop, resume',
  run: (_, desk) => openWorkflows(desk),
};

/** Runs of this session first, then those of others, then what can be started. */
async function openWorkflows(desk: Desk, said?: string): Promise<void> {
  const session = desk.own();
  if (!session) return;
  const { home, machine } = findSurroundings(desk);
  const { listRecordedRuns } = await import('../../workflows/list-runs.ts');
  const { locateRuns } = await import('../../workflows/read-journal.ts');
  const { builtInPrograms } = await import('../../session/workflows/programs.ts');
  const builtIn = Object.entries(builtInPrograms).flatMap(([name, { about }]) => (about ? [name] : []));
  const recorded = await listRecordedRuns(locateRuns(home), machine);
  const { scripts, broken } = await session.workflows().list();
  const live = [...desk.app.state.view.workflows.values()].toReversed();
  const others = recorded.runs.filter(({ runId }) => !live.some((run) => run.runId === runId));
  const rows: PickRow[] = [
    ...live.map(describeLive),
    ...others.map(describeRecorded),
    ...scripts.map(describeScript),
    ...broken.map(({ file, reason }) => ({
      value: '',
      label: file,
      note: 'cannot be used',
      preview: reason,
    })),
  ];
  desk.laterOpen(
    {
      kind: 'pick',
      title: 'Workflows',
      rows,
      selected: 0,
      empty: `No workflows yet: a workflow is a file such as .cadre/workflows/review.js (docs/workflows.md). Built in: ${builtIn.join(', ')}; start one with cadre run NAME.`,
      verb: 'opens it',
      staysOpen: true,
      ...(said === undefined ? {} : { said }),
      pick: ({ value }) => {
        const [kind = '', id = ''] = value.split(':');
        const run = others.find(({ runId }) => runId === id);
        if (kind === 'live') openLive(desk, id);
        else if (kind === 'run' && run) void openRecorded(desk, run);
        else if (kind === 'script') putCommand(desk, id);
      },
    },
    '/workflows',
  );
}

function openLive(desk: Desk, runId: string): void {
  const under = desk.app.state.panel;
  desk.open({ kind: 'workflow', runId, selected: null, ...(under ? { under } : {}) });
}

/** One that has something left to do is resumed here; finished calls are not run again. */
async function openRecorded(desk: Desk, run: RunDescription): Promise<void> {
  const under = desk.app.state.panel;
  if (run.owner !== undefined) return openWorkflows(desk, `It runs in process ${run.owner}.`);
  if (run.status === 'completed') {
    const text = describeRecorded(run).preview ?? '';
    return desk.open({
      kind: 'page',
      title: `Workflow ${run.name}`,
      text,
      down: 0,
      ...(under ? { under } : {}),
    });
  }
  desk.open({
    kind: 'pick',
    title: `${run.name} is ${run.status}.\n${renderCensus(run.census)}. Finished calls are not run again.`,
    rows: [
      { value: 'resume', label: 'resume it here' },
      { value: 'leave', label: 'leave it as it is' },
    ],
    selected: 0,
    ...(under ? { under } : {}),
    pick: async ({ value }) => {
      if (value !== 'resume') return openWorkflows(desk);
      const session = desk.own();
      if (!session) return;
      const started = await session.spawn({ kind: 'local_workflow', resume: run.runId });
      if (started.ok) return desk.open({ kind: 'workflow', runId: run.runId, selected: null });
      await openWorkflows(desk, [started.problem.message, started.problem.hint].filter(Boolean).join(' '));
    },
  });
}

/** It may take arguments, so it is not started at once. */
function putCommand(desk: Desk, name: string): void {
  if (!isEmpty(desk.app.state.editor))
    return void openWorkflows(desk, 'The prompt has text in it: send it or clear it first.');
  desk.app.closePanel();
  desk.app.change({ editor: createEditor(`/${name} `) });
}

function describeLive({
  runId,
  name,
  status,
  phases,
  phase,
  calls,
  callList,
  reason,
}: ShownWorkflow): PickRow {
  const ended = calls.total - calls.running - calls.waiting;
  return {
    value: `live:${runId}`,
    label: name,
    note: [
      status,
      ...(phase && status === 'running' ? [phase] : []),
      `${ended} of ${calls.total} calls`,
    ].join(' · '),
    preview: [
      `${name}: ${status}`,
      ...(reason ? [reason] : []),
      ...(phases.length > 0 ? ['', `Phases: ${phases.join(' → ')}`] : []),
      '',
      ...callList.map(describeCall),
    ].join('\n'),
  };
}

function describeCall({ label, state, outcome, verdict, reason }: Partial<WorkflowCallView>): string {
  const end = outcome === undefined ? (state ?? 'open') : [outcome, verdict].filter(Boolean).join(' ');
  return `${end.padEnd(16)}  ${label}${reason ? `: ${reason}` : ''}`;
}

function describeRecorded({
  runId,
  name,
  status,
  createdAt,
  owner,
  census,
  calls,
  reason,
}: RunDescription): PickRow {
  const when = localMinute(Date.parse(createdAt));
  return {
    value: `run:${runId}`,
    label: name,
    note: [status, when, ...(owner === undefined ? [] : ['in another process'])].join(' · '),
    preview: [
      `${name}: ${status}`,
      ...(reason ? [reason] : []),
      `Started ${when}, run ${runId}`,
      renderCensus(census),
      '',
      ...calls.map(describeCall),
    ].join('\n'),
  };
}

function describeScript({ meta, file, isTrusted }: FoundScript): PickRow {
  return {
    value: `script:${meta.name}`,
    label: `/${meta.name}`,
    note: isTrusted ? `start · ${meta.description}` : 'not trusted: cadre trust',
    preview: [
      `/${meta.name}`,
      '',
      meta.description,
      '',
      `File: ${file}`,
      ...(isTrusted ? [] : ['It runs once you trust it: cadre trust']),
    ].join('\n'),
  };
}
