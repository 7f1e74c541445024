import { readVariable } from '../../settings/environment.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import type { FlagsOf } from '../table/commands.ts';
import { runDemo } from './run-demo.ts';
import { stories } from './stage.ts';

export type DemoFlags = FlagsOf<'demo'>;

/** `cadre demo [coordinator|teams|workflow]`: in the terminal app if there is a terminal, otherwise as text. */
export async function startDemo(
  story: string | undefined,
  { keep = false, plain = false }: DemoFlags,
  ripgrep: RipgrepSource,
): Promise<number> {
  if (story === 'workflow') return (await import('./workflow-demo.ts')).runWorkflowDemo({ keep, ripgrep });
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return runDemo({
    story: stories.find((name) => name === story) ?? 'coordinator',
    keep,
    plain,
    ripgrep,
    still: readVariable(settingsTable.terminal.members.animation, process.env) === false,
    ...(isTerminal
      ? {
          async screen(session, prompt, show) {
            const { showSession } = await import('../terminal.ts');
            return showSession({ session, prompt, isPassing: true, show });
          },
        }
      : {}),
  });
}
