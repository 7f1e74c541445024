import { readFileSync } from 'node:fs';
import { complain } from '../../headless/complain.ts';
import { onReaderGone, processIo } from '../../headless/process-io.ts';
import { type Clock, sleep, systemClock } from '../../lib/clock.ts';
import type { Model, Outcome } from '../../protocol/index.ts';
import { openSession } from '../../session/open.ts';
import type { SessionOptions } from '../../session/options.ts';
import type { Session } from '../../session/session.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import { git } from '../../workspace/git/git.ts';
import { watchStops } from '../ask/stop-signals.ts';
import { keepDirectory, makeDirectory, removeDirectory } from './directory.ts';
import { createStyle, Narrator, type NarratorStyle } from './narrate.ts';
import { ownEnvironment, type Stage, type StoryName, setStage } from './stage.ts';

export interface DemoOptions {
  story: StoryName;
  keep: boolean;
  /** As text, even on a terminal. */
  plain?: boolean;
  /** Shows a session in the terminal app; absent without a terminal. */
  screen?(session: SessionOptions, prompt: string, show: ScreenShow): Promise<number>;
  /** Nothing is animated, and nothing is slowed down for a reader. */
  still?: boolean;
  ripgrep?: RipgrepSource;
}

/** What a user who watches is told first, and how they skip its pauses. */
export interface ScreenShow {
  about: string;
  skip(): void;
}

/** `cadre demo`: real loop, workers, tools, permissions, git and store; only the model's words are scripted. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const style = createStyle(process.stdout.isTTY === true && !process.env.NO_COLOR);
  // The user may leave early; the demo still finishes and cleans up.
  onReaderGone(() => {});
  const stops = watchStops();
  const made = makeDirectory();
  if (!made.ok) return complain(processIo(), made.problem);
  const directory = made.value;
  try {
    const stage = await setStage(directory, process.env, options.story);
    if (!stage.ok) return complain(processIo(), stage.problem);
    const code = await (options.screen && !options.plain
      ? showOnScreen(options.screen, stage.value, options)
      : play(stage.value, options, style, stops.signal));
    return stops.code() ?? code;
  } finally {
    if (options.keep) {
      keepDirectory(directory);
      write(`\nKept: ${directory}\n`);
    } else removeDirectory(directory);
    stops.release();
  }
}

function showOnScreen(
  screen: NonNullable<DemoOptions['screen']>,
  stage: Stage,
  options: DemoOptions,
): Promise<number> {
  const skipped = new AbortController();
  const { who, real } = words[options.story];
  const about = `This is a demo: ${who}, on a small repository in ${stage.repository}. Only the model's words are scripted; ${real.toLowerCase()}, tools, permissions and git are real, and you answer the questions. /skip leaves out the pauses, ctrl-c twice quits, and the repository is deleted at the end.`;
  const show = { about, skip: () => skipped.abort() };
  return screen(forScreen(stage, options, skipped.signal), stage.prompt, show);
}

/** On a screen the user answers, and the model is slowed down. */
function forScreen(
  { options, model }: Stage,
  { ripgrep, still }: DemoOptions,
  skipped: AbortSignal,
): SessionOptions {
  return {
    ...options,
    ...(still ? {} : { model: pacedModel(model, systemClock, skipped) }),
    ...(ripgrep ? { ripgrep } : {}),
  };
}

const words = {
  coordinator: {
    who: 'a coordinator and its workers',
    approved: 'the landing',
    real: 'Workers',
    kind: 'local_agent',
    called: 'workers',
    further: 'cadre --coordinator -p "explain this repository"',
  },
  teams: {
    who: 'a team of four',
    approved: 'the commit',
    real: 'Teammates, mail, board',
    kind: 'in_process_teammate',
    called: 'teammates',
    further: 'cadre -p "create a team of two that reviews this repository"',
  },
} as const;

async function play(
  stage: Stage,
  options: DemoOptions,
  style: NarratorStyle,
  stop: AbortSignal,
): Promise<number> {
  const { repository, prompt, model } = stage;
  write(
    `${style.strong('Cadre demo')}: ${words[options.story].who}, on a small repository in ${repository}\n`,
  );
  write(
    style.dim(
      `Only the model and your approval of ${words[options.story].approved} are scripted. ${words[options.story].real}, tools, permissions, git and transcripts are real.\n`,
    ),
  );
  write(`\n${style.strong('> ')}${prompt}\n`);
  const opened = await openSession({
    ...stage.options,
    onQuestion: stage.answer,
    ...(options.ripgrep ? { ripgrep: options.ripgrep } : {}),
  });
  if (!opened.ok) return complain(processIo(), opened.problem);
  const session = opened.value;
  const failed = new AbortController();
  const told = tell(session, createNarrator(session, repository, style), () => failed.abort());
  if (!stop.aborted) session.send({ type: 'prompt', content: prompt });
  await session.finished(AbortSignal.any([failed.signal, stop]));
  await session.close();
  const outcome = await told;
  if (stop.aborted) return 1;
  // If the story stopped early, the outcome says why.
  if (outcome?.kind === 'completed') model.assertConsumed();
  else write(`\n${outcome?.reason ?? 'The demo stopped early.'}\n`);
  await summarise(session, stage, outcome, style, options);
  return outcome?.kind === 'completed' ? 0 : 1;
}

function createNarrator(session: Session, repository: string, style: NarratorStyle): Narrator {
  const { scratchpad } = session.info();
  return new Narrator(style, (text) =>
    text.replaceAll(`${repository}/`, '').replaceAll(scratchpad ?? repository, 'scratchpad'),
  );
}

/** Runs until the session closes; returns the lead's last outcome. Workers would wait for a lost lead. */
async function tell(session: Session, narrator: Narrator, lost: () => void): Promise<Outcome | undefined> {
  let last: Outcome | undefined;
  for await (const event of session.events()) {
    const text = narrator.tell(event);
    if (text !== undefined) write(text);
    if (event.type !== 'run_ended' || event.agentId !== null) continue;
    last = event.outcome;
    if (last.kind !== 'completed') lost();
  }
  return last;
}

async function summarise(
  session: Session,
  { repository }: Stage,
  outcome: Outcome | undefined,
  style: NarratorStyle,
  { keep, story }: DemoOptions,
): Promise<void> {
  const log = await git(['log', '--first-parent', '--reverse', '--format=%s', 'main'], {
    cwd: repository,
    env: ownEnvironment(process.env),
  });
  const commits = log.ok ? log.value.trim().split('\n').join('; ') : '';
  const transcript = session.info().transcriptPath;
  const records = transcript ? readFileSync(transcript, 'utf8').trimEnd().split('\n').length : 0;
  const { kind, called, further } = words[story];
  const workers = session.tasks().filter((task) => task.kind === kind).length;
  write(`\n${style.strong(outcome?.kind ?? 'no outcome')}: ${workers} ${called}\n`);
  write(
    style.dim(
      `  on main now:  ${commits}\n  transcript:   ${records} records${keep ? ` in ${transcript}` : ' (--keep keeps them)'}\n`,
    ),
  );
  write(`\nWith a real model:  export ANTHROPIC_API_KEY=…  &&  ${further}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}

/** About the pace of a fast model, so a person can follow. */
const beforeAnswerMs = 500;
const betweenPiecesMs = 90;

/** The same words, at a pace to watch, until the user skips the pauses. */
function pacedModel(model: Model, clock: Clock, skipped: AbortSignal): Model {
  const pause = async (ms: number, signal: AbortSignal) => {
    if (!skipped.aborted) await sleep(clock, ms, signal);
  };
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      await pause(beforeAnswerMs, signal);
      for await (const event of model.stream(request, signal)) {
        yield event;
        if (event.type === 'block_delta') await pause(betweenPiecesMs, signal);
      }
    },
  };
}
