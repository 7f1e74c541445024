import { complain } from '../../headless/complain.ts';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { announceGate } from '../../landing/announce-gate.ts';
import { describeRecord, findWorktrees } from '../../landing/candidates.ts';
import { drop, planDrop } from '../../landing/drop.ts';
import { forecast } from '../../landing/forecast.ts';
import { land } from '../../landing/land.ts';
import { endedBy } from '../../landing/look-only.ts';
import type { LandingPlan } from '../../landing/plan.ts';
import type { RequestPlan } from '../../landing/plan-request.ts';
import {
  nameOrigin,
  renderDropped,
  renderForecast,
  renderReport,
  renderToDrop,
} from '../../landing/render.ts';
import { renderPlan } from '../../landing/render-plan.ts';
import type { Ground, LandReport } from '../../landing/types.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Problem, type Result, usage } from '../../lib/result.ts';
import { visible } from '../../lib/text/text.ts';
import { formatIdentity, matchWorktrees } from '../../workspace/worktrees/identity.ts';
import { nameFiles } from '../../workspace/worktrees/words.ts';
import { watchStops } from '../ask/stop-signals.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type Done, listWorktrees, renderDiffs } from './looks.ts';
import { openLanding } from './open-landing.ts';
import { withdrawReturned } from './return-work.ts';
import { describeOpened, returnLanded, returnOne } from './sends.ts';
import { showDiff } from './show-diff.ts';

const looks = ['list', 'diff', 'forecast'] as const;

type WorktreeAction = (typeof looks)[number] | 'land' | 'drop' | 'return' | 'pr';

type WorktreeFlags = Partial<
  FlagsOf<'worktree diff'> &
    FlagsOf<'worktree forecast'> &
    FlagsOf<'worktree land'> &
    FlagsOf<'worktree return'> &
    FlagsOf<'worktree pr'>
>;

/** `cadre worktree`: work of agents in worktrees, and how it is landed. */
export async function manageWorktrees(
  action: WorktreeAction,
  words: readonly string[],
  flags: WorktreeFlags,
): Promise<number | Result<never>> {
  const io = processIo();
  // The others are the user's comment.
  const names = action === 'return' ? words.slice(0, 1) : words;
  const isLook = looks.some((look) => look === action);
  const opened = await openLanding({}, isLook ? 'look' : 'change');
  if (!opened.ok) return opened;
  const { ground, notices, close } = opened.value;
  for (const text of notices) io.writeErr(`${visible(text)}\n`);
  // A signal ends the question about dropping.
  const stops = action === 'drop' ? undefined : watchStops();
  try {
    const meant = await askWhichOnes(io, names, ground, stops?.signal);
    const given = meant.ok ? [...meant.value, ...words.slice(names.length)] : [];
    const done = meant.ok ? await act(io, action, given, flags, ground, stops?.signal) : meant;
    const stopped = stops?.code();
    if (stopped !== undefined && action !== 'land') return stopped;
    if (!done.ok) {
      const code = complain(io, done.problem);
      if (stopped !== undefined && flags.json) await io.writeOut(formatJson(nothingLanded(done.problem)));
      return stopped ?? code;
    }
    if (stopped !== undefined && !hasLanded(done.value.data)) {
      if (flags.json) await io.writeOut(formatJson(done.value.data));
      return stopped;
    }
    const text = flags.json ? formatJson(done.value.data) : done.value.text;
    if (action === 'diff' && !flags.json) {
      stops?.release();
      return (await showDiff(io, text, process.env)) ? done.value.code : 1;
    }
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

/** For a program: the outcome of a landing that was told to stop. */
function nothingLanded({ message }: Problem): Pick<LandReport, 'landings' | 'refusal'> {
  return { landings: [], refusal: { reason: message, files: [] } };
}

/** An operation interrupted by the signal is reported as it ended. */
function hasLanded(data: unknown): boolean {
  const { from, to } = data as LandReport;
  return from !== to;
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
      return listWorktrees(looking);
    case 'diff':
      return renderDiffs(looking, names, flags.stat === true);
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
    case 'return':
      return returnOne(ground, names, flags, signal);
    case 'pr':
      return offerOne(io, ground, names, flags, signal ?? never);
  }
}

async function landAll(
  io: Io,
  ground: Ground,
  names: readonly string[],
  flags: WorktreeFlags,
  signal: AbortSignal = never,
): Promise<Result<Done>> {
  const { yes, onto, keep } = flags;
  // Before the gate, which may take long.
  const found = findWorktrees(ground, names);
  if (!found.ok) return found;
  if (!yes && !io.terminal && found.value.length > 0) return unanswered('Nothing was landed');
  const agree = async (plan: LandingPlan) => {
    // Files that others run code from need the consent of a user who has seen their names.
    if (yes && !hasProtected(plan)) return true;
    const text = renderPlan(plan, ground.world.clock.now());
    return (await askUser(io, `${text}\nLand this on ${plan.target.branch}? [y/N] `, signal)) === true;
  };
  const said = announceGate(ground, (text) => {
    if (text !== '') io.writeErr(`${text}\n`);
  });
  const careful = yes && !io.terminal ? { ...said, refuseProtected } : said;
  const landed = await land(careful, { agree, names, signal, onto, keep });
  if (!landed.ok) return landed;
  const isWhole = landed.value.landings.every(({ status }) => status === 'landed' || status === 'empty');
  const code = isWhole && landed.value.refusal === undefined ? 0 : 1;
  const report = renderReport(landed.value);
  let isShown = false;
  const sent = await returnLanded(ground, landed.value, {
    isWanted: flags.return === true,
    isAsked: io.terminal !== undefined && !yes && !flags.json,
    async agree(names) {
      isShown = true;
      const question = `Return ${names.join(', ')} to ${names.length === 1 ? 'its agent' : 'their agents'}? [y/N] `;
      return (await askUser(io, `${report}\n${question}`, signal)) === true;
    },
  });
  const text = [...(isShown ? [] : [report]), ...sent.messages].join('\n');
  const data = sent.returned.length === 0 ? landed.value : { ...landed.value, returned: sent.returned };
  return ok({ text: `${text}\n`, data, code });
}

/** `cadre worktree pr NAME`. */
async function offerOne(
  io: Io,
  ground: Ground,
  [name = '']: readonly string[],
  { yes, onto, title, draft }: WorktreeFlags,
  signal: AbortSignal,
): Promise<Result<Done>> {
  const { openPullRequest } = await import('./pull-request.ts');
  const { renderRequest } = await import('../../landing/plan-request.ts');
  let isUnanswered = false;
  const agree = async (plan: RequestPlan) => {
    if (yes && plan.layer.protected.length === 0) return true;
    const text = renderRequest(plan, ground.world.clock.now());
    const answer = await askUser(io, `${text}\nPush this and open the pull request? [y/N] `, signal);
    isUnanswered = answer === undefined;
    return answer === true;
  };
  const careful = yes && !io.terminal ? { ...ground, refuseProtected } : ground;
  const opened = await openPullRequest(careful, name, { agree, onto, title, draft, signal });
  if (!opened.ok) return opened;
  if (isUnanswered) return unanswered('Nothing was pushed');
  return ok({ text: describeOpened(opened.value), data: opened.value ?? null, code: opened.value ? 0 : 1 });
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
  const answer = yes || (await askUser(io, `${text}\n${end}`));
  if (answer === undefined) return unanswered('Nothing was removed');
  if (!answer) return ok({ text: 'Nothing was removed.\n', data: { dropped: [] }, code: 1 });
  const dropped = await drop(ground, plan.value);
  for (const [index, { record }] of plan.value.entries())
    if (dropped[index]?.dropped) await withdrawReturned(record, ground.world.home);
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
async function askUser(io: Io, question: string, signal = never): Promise<boolean | undefined> {
  if (!io.terminal) return undefined;
  const typed = await io.terminal.readLine(visible(question), { fresh: true, signal });
  return typed.kind === 'line' && /^\s*y(?:es)?\s*$/i.test(typed.text);
}
