import type { Clock } from '../../lib/clock.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import { programPath } from '../../workspace/search-path.ts';
import type { ClipboardProgram } from '../editor/clipboard.ts';
import type { Terminal } from './terminal.ts';

/** Terminals ignore longer ones, or stop reading in the middle. In bytes, before they are encoded. */
const maxSent = 74_000;

export interface CopyWorld {
  terminal: Terminal;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/**
 * Puts text on the clipboard: through a program of the desktop, and through the terminal, which may run elsewhere. Returns how,
 * in words; undefined if there is no way.
 */
export async function copyText(text: string, world: CopyWorld): Promise<string | undefined> {
  const { terminal } = world;
  const bytes = Buffer.from(text);
  const isSent = bytes.length <= maxSent && terminal.copy(bytes.toString('base64'));
  for (const program of copyPrograms(process.platform, world.environment))
    if (await runProgram(program, text, world)) return program.file;
  return isSent ? 'OSC 52' : undefined;
}

/** The programs that this desktop may have for writing to its clipboard. */
export function copyPrograms(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): ClipboardProgram[] {
  if (platform === 'darwin') return [{ file: 'pbcopy', args: [] }];
  return [
    ...(env.WAYLAND_DISPLAY ? [{ file: 'wl-copy', args: [] }] : []),
    ...(env.DISPLAY
      ? [
          { file: 'xclip', args: ['-selection', 'clipboard', '-in'] },
          { file: 'xsel', args: ['--clipboard', '--input'] },
        ]
      : []),
    ...(env.WSL_DISTRO_NAME ? [{ file: 'clip.exe', args: [] }] : []),
    // Its own buffer, and with -w the clipboard of the terminal around it.
    ...(env.TMUX ? [{ file: 'tmux', args: ['load-buffer', '-w', '-'] }] : []),
  ];
}

async function runProgram(
  { file, args }: ClipboardProgram,
  input: string,
  { clock, environment, cwd }: CopyWorld,
): Promise<boolean> {
  const given = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const env = { ...given, PATH: programPath(given.PATH ?? '', cwd, given.HOME || '/') };
  const child = spawnOwned({
    // Not the repository's directory: a program there must not be taken for the desktop's.
    ...{ file, args, cwd: '/', env, clock, input, owner: 'cadre/clipboard', timeoutMs: 5_000 },
    output: () => {},
    errorOutput: () => {},
  });
  const end = await child.ended;
  return end.code === 0 && end.problem === undefined;
}
