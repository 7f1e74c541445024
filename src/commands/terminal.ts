import { homedir } from 'node:os';
import { processIo } from '../headless/process-io.ts';
import { complain } from '../headless/run-prompt.ts';
import { systemClock } from '../lib/clock.ts';
import type { SessionOptions } from '../session/options.ts';
import { startScreen } from '../tui/start.ts';
import type { Flags } from './flags.ts';
import { reportOf } from './report.ts';

/** Starts the terminal app on the process's own terminal. */
export function startTui(
  flags: Flags,
  { session, prompt }: { session: SessionOptions; prompt?: string },
): Promise<number> {
  const { env } = process;
  return startScreen({
    session,
    ...(prompt === undefined ? {} : { prompt }),
    home: env.HOME || homedir(),
    ...(flags.screenReader || isOn(env.CADRE_SCREEN_READER) ? { screenReader: true } : {}),
    ...(isOn(env.CADRE_STILL) ? { animation: false } : {}),
    clock: systemClock,
    environment: env,
    streams: { input: process.stdin, output: process.stdout },
    trustQuestion: async () => {
      const { findTrustQuestion } = await import('./ask-trust.ts');
      return findTrustQuestion(session.cwd ?? process.cwd());
    },
    report: (words) => reportOf(words, flags),
    complain: (problem) => complain(processIo(), problem),
  });
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase());
}
