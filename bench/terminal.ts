/**
 * The terminal app on a real terminal: spawn to prompt beside the peers; then a hundred agents that stream at once, while
 * the user views one of them and types, in turns. `npm run bench:terminal -- --minutes 10` also watches memory for that long:
 * after two minutes it must stop growing.
 */
import { parseArgs } from 'node:util';
import { inherited, type Runner } from './measure.ts';
import { openPty, type Pty } from './pty.ts';
import { closeGround, openGround, prepareRunners, versions } from './runners.ts';
import { saveFigures } from './save.ts';
import { median, type Row, renderTable } from './table.ts';
import { watchAgents } from './terminal-agents.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    minutes: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    save: { type: 'boolean', default: false },
  },
});

const ground = openGround();
try {
  const runners = prepareRunners('http://127.0.0.1:9', ground, flags.only);
  const rows = await measureStarts(runners, Number(flags.rounds));
  const agents = await watchAgents(ground, Number(flags.minutes));
  const limit = (
    title: string,
    unit: string,
    figure: number | undefined,
    atMost: number,
    text: string,
  ): Row => ({
    ...{ title, unit, figures: figure === undefined ? {} : { cadre: figure } },
    goal: { kind: 'limit', atMost, text },
  });
  rows.push(
    limit('100 agents, one in sight: frame to frame, p95', 'ms', agents.frameP95, 50, '≤ 50 ms'),
    limit('100 agents, one in sight: sent to shown, p95', 'ms', agents.shownP95, 50, '≤ 50 ms'),
    limit('100 agents: keystroke to echo, p95', 'ms', agents.echoP95, 50, '≤ 50 ms'),
    limit('100 agents: memory, last minute ÷ third', 'times', agents.growth, 1.1, 'flat'),
    limit('idle: CPU', '% of a core', agents.idleCpu, 0.5, 'none'),
  );
  console.log(renderTable(rows, Object.keys(versions(runners))));
  console.log(`memory with 100 agents: ${agents.megabytes.map((one) => one.toFixed(0)).join(', ')} MB`);
  if (flags.save) saveFigures(rows, versions(runners));
} finally {
  closeGround(ground);
}

async function measureStarts(runners: Runner[], rounds: number): Promise<Row[]> {
  const bare: Samples = {};
  const drawn: Samples = {};
  const typed: Samples = {};
  for (let round = 0; round <= rounds; round++)
    for (const runner of runners) {
      const silent = await measureStart(runner, false);
      const start = await measureStart(runner, true);
      // The first starts fill the disk cache; they are not counted.
      if (round === 0) continue;
      add(bare, runner.name, silent?.drawn);
      add(drawn, runner.name, start?.drawn);
      add(typed, runner.name, start?.typed);
    }
  const none = { kind: 'none', text: '' } as const;
  return [
    {
      title: 'spawn to prompt, on a bare pty',
      unit: 'ms',
      figures: medians(bare),
      goal: { kind: 'share', of: 1 / 2, text: '≤ 1/2 of fastest' },
    },
    // Codex asks the terminal what it is and waits for it; one that answers at once makes it as quick as we are.
    {
      title: 'spawn to prompt, on a terminal that answers',
      unit: 'ms',
      figures: medians(drawn),
      goal: none,
    },
    { title: 'spawn to first typed word shown there', unit: 'ms', figures: medians(typed), goal: none },
  ];
}

type Samples = Record<string, number[]>;

function add(samples: Samples, name: string, value: number | undefined): void {
  if (value !== undefined) samples[name] = [...(samples[name] ?? []), value];
}

function medians(samples: Samples): Record<string, number> {
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

async function measureStart(
  runner: Runner,
  answers: boolean,
): Promise<{ drawn: number; typed: number } | undefined> {
  const { screen, environment } = runner.launch;
  const pty = openPty({
    command: screen.command,
    cwd: runner.workspace,
    environment: { ...inherited(), TERM: 'xterm-256color', ...environment },
    answers,
  });
  try {
    const drawn = await pty.shows(screen.prompt);
    const typed = drawn === undefined ? undefined : await typeWord(pty);
    if (drawn !== undefined && typed !== undefined)
      return { drawn: drawn - pty.startedAt, typed: typed - pty.startedAt };
    console.error(`${runner.name}: no prompt was seen`);
    return undefined;
  } finally {
    await pty.kill();
  }
}

async function typeWord(pty: Pty): Promise<number | undefined> {
  pty.type('zqx');
  return pty.shows(/zqx/);
}
