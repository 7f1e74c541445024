import { complain } from '../headless/complain.ts';
import type { Io } from '../headless/io.ts';
import { processIo } from '../headless/process-io.ts';
import { announceGate } from '../landing/announce-gate.ts';
import { describeRecord, findWorktrees, readCandidate } from '../landing/candidates.ts';
import { diffWorktree, drop, planDrop } from '../landing/drop.ts';
import { forecast } from '../landing/forecast.ts';
import { describeAge, formatIdentity, matchWorktrees } from '../landing/identity.ts';
import { land } from '../landing/land.ts';
import { endedBy } from '../landing/look-only.ts';
import type { LandingPlan } from '../landing/plan.ts';
import {
  nameOrigin,
  nameOwner,
  renderDropped,
  renderForecast,
  renderReport,
  renderToDrop,
} from '../landing/render.ts';
import { renderPlan } from '../landing/render-plan.ts';
import type { Ground, LandReport } from '../landing/types.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visible, visibleLine } from '../lib/text/text.ts';
import { diffstat } from '../workspace/worktrees/changes.ts';
import { nameFiles } from '../workspace/worktrees/words.ts';
import { openLanding } from './open-landing.ts';
import { watchStops } from './stop-signals.ts';
import type { FlagsOf } from './table/commands.ts';

export type WorktreeAction = 'list' | 'diff' | 'forecast' | 'land' | 'drop';

export type WorktreeFlags = Partial<
  FlagsOf<'worktree diff'> & FlagsOf<'worktree forecast'> & FlagsOf<'worktree land'>
>;

/** `cadre worktree`: work of agents in worktrees, and how it is landed. */
export async function manageWorktrees(
  action: WorktreeAction,
  names: readonly string[],
  flags: WorktreeFlags,
): Promise<number> {
  const io = processIo();
  const opened = await openLanding({}, action === 'land' || action === 'drop' ? 'change' : 'look');
  if (!opened.ok) return complain(io, opened.problem);
  const { ground, notices, close } = opened.value;
  for (const text of notices) io.writeErr(`${visible(text)}\n`);
  // A signal ends the question about dropping.
  const stops = action === 'drop' ? undefined : watchStops();
  try {
    const meant = await askWhichOnes(io, names, ground, stops?.signal);
    const done = meant.ok ? await act(io, action, meant.value, flags, ground, stops?.signal) : meant;
    const stopped = stops?.code();
    if (stopped !== undefined && action !== 'land') return stopped;
    if (!done.ok) {
      const code = complain(io, done.problem);
      return stopped ?? code;
    }
    if (stopped !== undefined && !hasLanded(done.value.data)) return stopped;
    const text = flags.json ? `${JSON.stringify(done.value.data, null, 2)}\n` : done.value.text;
    // Names and content come from agents.
    return (await io.writeOut(io.outputIsTerminal ? visible(text) : text)) ? done.value.code : 1;
  } finally {
    await close();
    stops?.release();
  }
}

/** A word that several worktrees answer to is asked about; without a terminal it is refused later, with their names. */
async function askWhichOnes(
  io: Io,
  words: readonly string[],
  ground: Ground,
  signal: AbortSignal = never,
): Promise<Result<string[]>> {
  const all = findWorktrees(ground);
  if (!all.ok || !io.terminal) return ok([...words]);
  const meant: string[] = [];
  for (const word of words) {
    const found = matchWorktrees(all.value, word);
    const now = ground.world.clock.now();
    const rows = found.map(
      (record, index) =>
        `${index + 1}  ${formatIdentity(record)} (${nameOrigin(describeRecord(record), now)}) ${record.title ?? ''}`,
    );
    const question = `${word} matches ${found.length} worktrees:\n${rows.join('\n')}\nWhich one? [1-${found.length}] `;
    const typed =
      found.length > 1 ? await io.terminal.readLine(visible(question), { fresh: true, signal }) : undefined;
    const chosen = typed?.kind === 'line' ? found[Number(typed.text.trim()) - 1] : undefined;
    if (typed && !chosen) return usage('None was chosen, so nothing was done.');
    meant.push(chosen ? formatIdentity(chosen) : word);
  }
  return ok(meant);
}

/** An operation interrupted by the signal is reported as it ended. */
function hasLanded(data: unknown): boolean {
  const { from, to } = data as LandReport;
  return from !== to;
}

interface Done {
  text: string;
  data: unknown;
  code: number;
}

async function act(
  io: Io,
  action: WorktreeAction,
  names: readonly string[],
  flags: WorktreeFlags,
  ground: Ground,
  signal: AbortSignal | undefined,
): Promise<Result<Done>> {
  const looking = signal ? endedBy(signal, ground) : ground;
  switch (action) {
    case 'list':
      return list(looking);
    case 'diff':
      return showDiffs(looking, names, flags.stat === true);
    case 'forecast': {
      const seen = await forecast(looking, names, flags.onto);
      if (!seen.ok) return seen;
      const text = `${renderForecast(seen.value, ground.world.clock.now())}\n`;
      return ok({ text, data: seen.value, code: 0 });
    }
    case 'land':
      return landAll(io, ground, names, flags, signal);
    case 'drop':
      return dropSome(io, ground, names, flags);
  }
}

async function list(ground: Ground): Promise<Result<Done>> {
  const found = findWorktrees(ground);
  if (!found.ok) return found;
  const rows = [];
  for (const record of found.value) {
    const candidate = await readCandidate(record, ground);
    const stat = candidate.ok
      ? await diffstat(candidate.value.start, candidate.value.tip, record.path, ground.world)
      : candidate;
    const obstacle = candidate.ok ? candidate.value.obstacle : undefined;
    rows.push({
      id: formatIdentity(record),
      name: record.slug,
      path: record.path,
      branch: record.branch,
      createdAt: record.createdAt,
      title: record.title ?? null,
      session: record.session,
      agentId: record.agentId,
      agentName: record.agentName ?? null,
      state: candidate.ok && candidate.value.isBusy ? 'running' : 'idle',
      ...(stat.ok
        ? { files: stat.value.files.length, added: stat.value.added, removed: stat.value.removed }
        : { problem: stat.problem.message }),
      obstacle,
    });
  }
  const now = ground.world.clock.now();
  const lines = rows.map((row) => {
    const owner = nameOwner({ agentId: row.agentId, name: row.agentName ?? undefined });
    const work =
      'problem' in row
        ? row.problem
        : `${row.files} ${row.files === 1 ? 'file' : 'files'}, +${row.added} -${row.removed}`;
    const hindered = row.obstacle === undefined ? '' : `; cannot land: ${row.obstacle}`;
    const whose = `${owner}, ${describeAge(row.createdAt, now)}, ${row.state}`;
    const line = `${row.id} (${whose}): ${work}${hindered}. ${row.title ?? ''}`;
    return visibleLine(line, 400).trimEnd();
  });
  const text = lines.length === 0 ? 'No worktrees.\n' : `${lines.join('\n')}\n`;
  return ok({ text, data: rows, code: 0 });
}

async function showDiffs(ground: Ground, names: readonly string[], stat: boolean): Promise<Result<Done>> {
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  const diffs: { name: string; session: string; diff: string }[] = [];
  for (const record of found.value) {
    const shown = await diffWorktree(ground, record, stat);
    if (!shown.ok) return shown;
    diffs.push({ name: record.slug, session: record.session, diff: shown.value });
  }
  const text =
    diffs.length === 1
      ? (diffs[0]?.diff ?? '')
      : diffs.map(({ name, diff }) => `# ${name}\n${diff}`).join('\n');
  return ok({ text, data: diffs, code: 0 });
}

async function landAll(
  io: Io,
  ground: Ground,
  names: readonly string[],
  { yes, onto, keep }: WorktreeFlags,
  signal: AbortSignal = never,
): Promise<Result<Done>> {
  let isUnanswered = false;
  const agree = async (plan: LandingPlan) => {
    // Files that others run code from need the consent of a user who has seen their names.
    if (yes && !hasProtected(plan)) return true;
    const text = renderPlan(plan, ground.world.clock.now());
    const answer = await ask(io, `${text}\nLand this on ${plan.target.branch}? [y/N] `, signal);
    isUnanswered = answer === undefined;
    return answer === true;
  };
  const said = announceGate(ground, (text) => {
    if (text !== '') io.writeErr(`${text}\n`);
  });
  const careful = yes && !io.terminal ? { ...said, refuseProtected } : said;
  const landed = await land(careful, {
    agree,
    names,
    signal,
    onto,
    keep,
  });
  if (!landed.ok) return landed;
  if (isUnanswered) return unanswered('Nothing was landed');
  const isWhole = landed.value.landings.every(({ status }) => status === 'landed' || status === 'empty');
  const code = isWhole && landed.value.refusal === undefined ? 0 : 1;
  return ok({ text: `${renderReport(landed.value)}\n`, data: landed.value, code });
}

function refuseProtected(paths: readonly string[], name: string): string {
  return `it changes protected paths (${nameFiles(paths)}), which --yes does not cover. Land it at a terminal: cadre worktree land ${name}`;
}

function hasProtected({ layers }: LandingPlan): boolean {
  return layers.some((layer) => layer.protected.length > 0);
}

async function dropSome(
  io: Io,
  ground: Ground,
  names: readonly string[],
  { yes }: WorktreeFlags,
): Promise<Result<Done>> {
  const plan = await planDrop(ground, names);
  if (!plan.ok) return plan;
  const text = renderToDrop(plan.value, ground.world.clock.now());
  const end = `Remove ${names.join(', ')} and everything in ${names.length === 1 ? 'it' : 'them'}? [y/N] `;
  const answer = yes || (await ask(io, `${text}\n${end}`));
  if (answer === undefined) return unanswered('Nothing was removed');
  if (!answer) return ok({ text: 'Nothing was removed.\n', data: { dropped: [] }, code: 1 });
  const dropped = await drop(ground, plan.value);
  const code = dropped.every((one) => one.dropped) ? 0 : 1;
  return ok({ text: `${renderDropped(dropped)}\n`, data: { dropped }, code });
}

function unanswered(what: string): Result<never> {
  return usage(
    `${what}: stdin is not a terminal, so there is no way to ask.`,
    'Add --yes to agree in advance.',
  );
}

const never = new AbortController().signal;

/** Undefined if there is no user to ask. */
async function ask(io: Io, question: string, signal = never): Promise<boolean | undefined> {
  if (!io.terminal) return undefined;
  const typed = await io.terminal.readLine(visible(question), { fresh: true, signal });
  return typed.kind === 'line' && /^\s*y(?:es)?\s*$/i.test(typed.text);
}
