import { ensurePrivateDirectory } from '../../lib/files.ts';
import { ok } from '../../lib/result.ts';
import type { Sandbox } from '../../protocol/sandbox.ts';
import type { SandboxSettings } from '../../settings/sandbox.ts';
import { bwrapSandbox } from './bwrap.ts';
import { findProgram } from './find-program.ts';
import { noSandbox } from './none.ts';

export interface Choice {
  settings: SandboxSettings;
  platform: string;
  arch: string;
  /** Private, for what an adapter has to keep. */
  directory: string;
}

/** The way to confine on this system. */
export async function chooseSandbox({ settings, platform, arch, directory }: Choice): Promise<Sandbox> {
  const program = findProgram('bwrap', settings.bwrapPath);
  if (platform !== 'linux') return noSandbox(`There is no sandbox for ${platform}.`);
  if (program === undefined) return noBwrap(settings.bwrapPath);
  return bwrapSandbox({
    program,
    arch,
    directory() {
      const made = ensurePrivateDirectory(directory);
      return made.ok ? ok(directory) : made;
    },
  });
}

function noBwrap(given: string | undefined): Sandbox {
  return given === undefined
    ? noSandbox(
        'There is no bubblewrap (bwrap) on this system.',
        'Install it, or set sandbox.enabled to false to be told no more.',
      )
    : noSandbox(`sandbox.bwrapPath: ${given} is no program.`, 'Give the absolute path of bwrap.');
}
