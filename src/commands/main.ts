import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import type { Problem } from '../lib/result.ts';
import type { RipgrepSource } from '../tools/ripgrep.ts';
import { type Flags, requestOf } from './flags.ts';

/**
 * The main command: in a terminal the terminal app, else one answer. `--input-format stream-json` is headless by itself:
 * hosts do not say `-p`.
 */
export async function runFromFlags(
  flags: Flags,
  prompt: string | undefined,
  ripgrep: RipgrepSource,
): Promise<number> {
  const request = requestOf(flags, prompt, process.cwd());
  if (!request.ok) return complain(processIo(), request.problem);
  const session = { ...request.value.session, ripgrep };
  const headless = flags.print || flags.inputFormat === 'stream-json' || !process.stdout.isTTY;
  if (headless && flags.byHand && flags.inputFormat === 'text') return complain(processIo(), nobodysHand);
  if (headless) {
    const { runHeadless } = await import('../headless/run-headless.ts');
    return runHeadless({ ...request.value, session });
  }
  if (!process.stdin.isTTY) return complain(processIo(), notATerminal);
  const { startTui } = await import('./terminal.ts');
  const demo = async () => {
    const { startDemo } = await import('./demo/start.ts');
    return startDemo({}, ripgrep);
  };
  return startTui(flags, { session, demo, ...(prompt === undefined ? {} : { prompt }) });
}

const nobodysHand: Problem = {
  kind: 'usage',
  message: '--by-hand is for the terminal app, where somebody gives the commands of the tape.',
  hint: 'Leave it out: the tape gives them itself.',
};

const notATerminal: Problem = {
  kind: 'usage',
  message: 'Standard input is no terminal, so that nobody could type.',
  hint: 'Use cadre -p to answer what is piped in.',
};
