import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { ok } from '../lib/result.ts';
import type { Sandbox } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/loaded.ts';
import { bwrapSandbox } from './bwrap/bwrap.ts';
import { findSystemProgram } from './bwrap/find-program.ts';
import { noSandbox } from './none.ts';

export interface SandboxChoice {
  settings: SandboxSettings;
  platform: string;
  arch: string;
  /** Private, for files an adapter has to keep. */
  directory: string;
}

/** Chooses the sandbox for this system. */
export async function chooseSandbox(choice: SandboxChoice): Promise<Sandbox> {
  const { network } = choice.settings;
  if (choice.platform === 'linux') return chooseOnLinux(choice);
  if (choice.platform !== 'darwin') return noSandbox(`There is no sandbox for ${choice.platform}.`);
  const { runtimeSandbox } = await import('./bwrap/runtime.ts');
  return runtimeSandbox({
    lists: { allowed: network.allowedDomains, denied: network.deniedDomains },
    localBinding: network.allowLocalBinding === true,
  });
}

async function chooseOnLinux({ settings, arch, directory }: SandboxChoice): Promise<Sandbox> {
  const program = findSystemProgram('bwrap', settings.bwrapPath);
  if (program === undefined) return missing('bwrap', 'bubblewrap', settings.bwrapPath);
  const options = {
    program,
    arch,
    directory() {
      const made = ensurePrivateDirectory(directory);
      return made.ok ? ok(directory) : made;
    },
  };
  if (settings.network.allowedDomains.length === 0) return bwrapSandbox(options);
  const socat = findSystemProgram('socat', settings.socatPath);
  if (socat === undefined) return missing('socat', 'socat', settings.socatPath);
  const { networkSandbox } = await import('./bwrap/bwrap-network.ts');
  return networkSandbox({ ...options, socat });
}

function missing(program: string, packageName: string, given: string | undefined): Sandbox {
  if (given !== undefined)
    return noSandbox(
      `sandbox.${program}Path: ${given} ${given.startsWith('/') ? 'is not an executable file' : 'is not an absolute path'}.`,
      `Fix the path, or remove the setting to use the system's ${program}.`,
    );
  const why = program === 'socat' ? ', which sandbox.network.allowedDomains needs' : '';
  return noSandbox(
    `There is no ${program} on this system${why}.`,
    `Install ${packageName}, or set sandbox.enabled to false to silence this message.`,
  );
}
