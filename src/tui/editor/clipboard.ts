import type { Clock } from '../../lib/clock.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import { failure, type Result } from '../../lib/result.ts';
import { decodeImage, maxImageBytes } from './images.ts';
import type { Image } from './paste.ts';

export interface ClipboardProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/** The output of a program, or undefined if it is missing or fails. */
export type RunProgram = (program: ClipboardProgram) => Promise<Uint8Array | undefined>;

/** Tries each program that this desktop may have for reading an image from the clipboard. */
export async function readClipboardImage(
  run: RunProgram,
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<Image>> {
  const programs = clipboardPrograms(platform, env);
  for (const program of programs) {
    const bytes = await run(program);
    if (bytes && bytes.length > 0) return decodeImage(bytes, 'The clipboard');
  }
  const names = [...new Set(programs.map((program) => program.file))].join(' or ');
  if (names === '')
    return failure('No clipboard is available here.', 'Paste the path of an image file instead.');
  return failure(
    `The clipboard has no image, or no program to read it is installed (${names}).`,
    'Paste the path of an image file instead.',
  );
}

export function clipboardPrograms(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): ClipboardProgram[] {
  if (platform === 'darwin') return [{ file: 'pngpaste', args: ['-'] }];
  const wayland = ['image/png', 'image/jpeg'].map((type) => ({
    file: 'wl-paste',
    args: ['--no-newline', '--type', type],
  }));
  const x11 = ['image/png', 'image/jpeg'].map((type) => ({
    file: 'xclip',
    args: ['-selection', 'clipboard', '-target', type, '-out'],
  }));
  return [...(env.WAYLAND_DISPLAY ? wayland : []), ...(env.DISPLAY ? x11 : [])];
}

/** Runs the real programs, each for at most five seconds. `env` must have a PATH that no repository can add to. */
export function clipboardRunner(options: {
  cwd: string;
  env: Record<string, string>;
  clock: Clock;
}): RunProgram {
  return async ({ file, args }) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const child = spawnOwned({
      ...options,
      file,
      args,
      owner: 'cadre/clipboard',
      timeoutMs: 5000,
      output: (chunk) => {
        size += chunk.length;
        // One byte above the limit is enough to know that the image is too large.
        if (size <= maxImageBytes * 2) pieces.push(chunk);
        else child.kill();
      },
      errorOutput: () => {},
    });
    const end = await child.ended;
    return end.code === 0 && end.problem === undefined ? Buffer.concat(pieces) : undefined;
  };
}
