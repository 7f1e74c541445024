import { ok, type Result } from '../lib/result.ts';
import type { ShellSandbox } from '../protocol/index.ts';
import { markedSandbox } from '../sandbox/guard/left-sandboxes.ts';
import { openSandbox } from '../sandbox/open.ts';
import { checkPrograms } from '../session/sandbox.ts';
import type { Surroundings } from '../session/surroundings.ts';
import type { LoadedSettings } from '../settings/load.ts';

/** A sandbox for commands that run without a session; undefined where settings want none. */
export async function openCommandSandbox(
  around: Surroundings,
  settings: LoadedSettings,
  notify: (text: string) => void,
): Promise<Result<(ShellSandbox & { close(): Promise<void> | void }) | undefined>> {
  if (settings.sandbox.enabled === false) return ok(undefined);
  const programs = await checkPrograms(settings);
  if (!programs.ok) return programs;
  const directory = markedSandbox(around.home);
  return ok(
    openSandbox({
      settings: settings.sandbox,
      home: around.home,
      userHome: around.userHome,
      directory,
      environment: around.environment,
      isRoot: process.getuid?.() === 0,
      given: () => [],
      notify,
      choose: async () => {
        const { chooseSandbox } = await import('../sandbox/choose.ts');
        const { platform, arch } = process;
        return chooseSandbox({ settings: settings.sandbox, platform, arch, directory });
      },
    }),
  );
}
