import { Coverage, judgeCases } from './cases.ts';
import { judgeCorners } from './judge-corners.ts';
import { type JudgeLine, judgeLine, postures } from './judged.ts';
import { buildLayouts } from './layout.ts';
import { quote } from './maker.ts';
import { type Contradiction, runCases } from './run-cases.ts';
import { shrink } from './shrink.ts';

export interface FuzzOptions {
  readonly seed: number;
  readonly lines: number;
  readonly runs: number;
  /** Of the corner cases one in so many; all of them if not given. */
  readonly cornerShare?: number;
  readonly judge?: JudgeLine;
  readonly layouts?: readonly string[];
  /** Ends when so many contradictions were confirmed. */
  readonly enough?: number;
  /** Shorten what was found, which takes some seconds each. */
  readonly shrinks?: boolean;
  /** Goes on with further lines for so long. */
  readonly milliseconds?: number;
  /** How many lines are judged at a time, of which the rarest run. */
  readonly round?: number;
  progress?(text: string): void;
}

export interface Fuzzed {
  judged: number;
  allowed: number;
  ran: number;
  features: number;
  /** Lines that chance seldom makes, run for whomever they are allowed. */
  corners: number;
  /** How many were run for each who may run one. */
  byPosture: Readonly<Record<string, number>>;
  /** Lines that the kernel contradicted once, and not when they were run alone. */
  unconfirmed: string[];
  contradictions: Contradiction[];
}

const usualRound = 10_000;

/** Judges lines, runs the rarest of those that are allowed, and keeps what the kernel contradicts. */
export async function fuzz(options: FuzzOptions): Promise<Fuzzed> {
  const { seed, lines, runs, judge = judgeLine, enough = 50, round = usualRound } = options;
  using layouts = buildLayouts(options.layouts);
  const coverage = new Coverage();
  const result: Fuzzed = {
    ...{ judged: 0, allowed: 0, ran: 0, features: 0, corners: 0, byPosture: {} },
    ...{ unconfirmed: [], contradictions: [] },
  };
  const end = performance.now() + (options.milliseconds ?? 0);
  const isOver = () =>
    result.contradictions.length >= enough || (result.judged >= lines && performance.now() >= end);
  const corners = judgeCorners(layouts.all, judge, options.cornerShare);
  result.corners = corners.length;
  let running = runCases(corners);
  // What is found here is found soonest.
  if (enough === 1) running = keep(await running, result, options).then(() => []);
  while (!isOver()) {
    const to = Math.min(result.judged + round, Math.max(lines, result.judged + 1000));
    const allowed = judgeCases(seed, result.judged, to, layouts.all, judge);
    const share = Math.ceil((runs * (to - result.judged)) / lines);
    const taken = coverage.take(allowed, share);
    result.judged = to;
    result.allowed += allowed.length;
    result.ran += taken.length;
    await keep(await running, result, options);
    running = runCases(taken);
    options.progress?.(
      `${result.judged} judged, ${result.allowed} allowed, ${result.ran} run, ${result.contradictions.length} contradicted`,
    );
  }
  await keep(await running, result, options);
  const byPosture = Object.fromEntries(
    postures.map(({ name }) => [name, coverage.runsOf(`posture:${name}`)] as const),
  );
  return { ...result, byPosture, features: coverage.features };
}

async function keep(found: readonly Contradiction[], result: Fuzzed, options: FuzzOptions): Promise<void> {
  const confirmed = await runCases(
    found.map(({ one }) => one),
    true,
  );
  const again = new Set(confirmed.map(({ one }) => one));
  result.unconfirmed.push(...found.filter(({ one }) => !again.has(one)).map(describe));
  for (const one of confirmed) {
    if (result.contradictions.length >= (options.enough ?? 50)) return;
    const short = options.shrinks ? await shrink(one, options.judge ?? judgeLine) : one;
    if (result.contradictions.some((other) => other.one.line === short.one.line)) continue;
    result.contradictions.push(short);
    options.progress?.(describe(short));
  }
}

/** How a person sees it, and how to see it again. */
export function describe({ one, saw }: Contradiction): string {
  const below = one.cwd.slice(one.layout.workspace.length + 1);
  const place = `--layout ${one.layout.name} --mode ${one.posture.name} --rules ${one.rules.name}${one.shell === 'bash' ? '' : ' --shell dash'}${below === '' ? '' : ` --below ${below}`}`;
  return [
    `${JSON.stringify(one.line)} (line ${one.number} of the seed)`,
    ...saw.slice(0, 3).map((text) => `    ${text}`),
    `    npx bun test/proof/kernel/replay.ts ${place} --line ${quote(one.line)}`,
  ].join('\n');
}
