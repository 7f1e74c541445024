import { processIo } from '../headless/process-io.ts';
import { runHeadless } from '../headless/run-headless.ts';
import { complain } from '../headless/run-prompt.ts';
import { usage } from '../lib/result.ts';
import type { RipgrepSource } from '../tools/ripgrep.ts';
import { type Flags, requestOf } from './flags.ts';

/** The main command. `--input-format stream-json` is headless by itself: hosts do not say `-p`. */
export async function runFromFlags(
  flags: Flags,
  prompt: string | undefined,
  ripgrep: RipgrepSource,
): Promise<number> {
  const headless = flags.print || flags.inputFormat === 'stream-json' || !process.stdout.isTTY;
  const request = headless ? requestOf(flags, prompt, process.cwd()) : notInteractive;
  if (!request.ok) return complain(processIo(), request.problem);
  return runHeadless({ ...request.value, session: { ...request.value.session, ripgrep } });
}

const notInteractive = usage(
  'The interactive terminal is not in this version.',
  'Use cadre -p "your prompt", go on with cadre -p -c "…", or watch cadre demo.',
);
