import { basename, dirname } from 'node:path';
import { isWithin } from '../../../src/workspace/paths.ts';
import type { Ran } from './driver.ts';
import type { Layout } from './layout.ts';
import { connectNoise, helpers, readNoise, writeNoise } from './noise.data.ts';
import type { Event } from './trace.ts';

/** What was judged of a line, as far as the kernel can contradict it. */
export interface Judgement {
  /** The places that it writes or removes; none for a line that is known to change nothing. */
  readonly writes: readonly string[];
  /** The programs that the judge saw in the line, by their last names. */
  readonly programs: ReadonlySet<string>;
  /** Rules allow programs: which files they touch is theirs to say, but for those that rules and protection keep. */
  readonly isGranted?: true;
}

/** What the kernel saw against what was judged; empty where they agree. */
export function contradictions(ran: Ran, judged: Judgement, layout: Layout): string[] {
  const found = ran.trace.events.flatMap((event) => {
    const fault = faultOf(event, judged, layout);
    return fault === undefined ? [] : [`${fault}: ${event.program} ${shorten(event.call, layout)}`];
  });
  if (!judged.isGranted && ran.output.includes('canary-outside')) found.push('printed what is outside');
  if (ran.output.includes('canary-hidden')) found.push('printed what a rule refuses');
  return [...new Set(found)];
}

function faultOf(event: Event, judged: Judgement, layout: Layout): string | undefined {
  switch (event.kind) {
    case 'exec':
      return faultOfProgram(event, judged.programs);
    case 'write':
      return isNoise(event, writeNoise, layout) ? undefined : faultOfWrite(event, judged, layout);
    case 'read':
      return event.failed !== undefined || isNoise(event, readNoise, layout)
        ? undefined
        : faultOfRead(event, layout, judged.isGranted === true);
    case 'connect':
      return isNoise(event, connectNoise, layout) ? undefined : 'reaches for a network';
    case 'kill':
      return 'sends a signal to another process';
    case 'system':
      return 'changes the machine';
  }
}

function faultOfProgram({ path, program }: Event, programs: ReadonlySet<string>): string | undefined {
  if (!/^\/(?:usr\/)?(?:local\/)?(?:bin|lib)\//.test(path)) return "runs a program that is not the system's";
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (programs.has(name)) return undefined;
  return [...programs].some((one) => helpers[one]?.includes(name)) || helpers[program]?.includes(name)
    ? undefined
    : 'runs a program that was not judged';
}

function faultOfWrite(
  { path, real, program, call, failed }: Event,
  { writes, isGranted }: Judgement,
  layout: Layout,
): string | undefined {
  const isKept = faultOfKept(real ?? path, failed === undefined ? call : '', layout);
  if (isKept !== undefined || isGranted) return isKept;
  if (writes.length === 0) return 'writes';
  if ([path, real ?? path].some((one) => !isWithin(one, layout.workspace))) return 'writes outside';
  if (!writes.some((judged) => [path, real ?? path].some((one) => covers(judged, one, program))))
    return 'writes another file than was judged';
  return undefined;
}

/** What is protected, or denied by a rule; a directory that is moved takes what is in it along. */
function faultOfKept(path: string, call: string, { workspace }: Layout): string | undefined {
  if (!isWithin(path, workspace)) return undefined;
  const below = path.slice(workspace.length);
  if (protectedName.test(below)) return 'writes what is protected';
  if (isWithin(below, '/kept/inner')) return 'writes what a rule refuses';
  return call.startsWith('rename') && holding.some((one) => isWithin(one, below))
    ? 'moves what is protected, or what a rule refuses'
    : undefined;
}

const protectedName = /\/\.(?:git|vscode|husky|cadre|claude|idea|envrc|npmrc|bashrc)(?:\/|$)/;
const holding = ['/pkg/.git', '/app/deep/.vscode', '/kept/inner', '/ci/.husky'];

/** A directory counts for all that is in it, `-p` makes or removes those above, and sed writes a file beside the one it edits. */
function covers(judged: string, path: string, program: string): boolean {
  if (isWithin(path, judged)) return true;
  if (program === 'mkdir' || program === 'rmdir') return isWithin(judged, path);
  return program === 'sed' && dirname(path) === dirname(judged) && /^sed\w{6}$/.test(basename(path));
}

function faultOfRead(
  { path, real = path, program }: Event,
  layout: Layout,
  isGranted: boolean,
): string | undefined {
  if (!isWithin(real, layout.workspace)) return isGranted ? undefined : 'reads outside';
  const below = real.slice(layout.workspace.length);
  // Git reads every file that it keeps to see whether it changed; what it shows is seen in the output.
  return !program.startsWith('git') && /^\/(?:(?:src\/)?\.env|secret\/.*|id_rsa)$/.test(below)
    ? 'reads what a rule refuses'
    : undefined;
}

function isNoise(
  { path, real = path, program, failed }: Event,
  noise: typeof readNoise,
  layout: Layout,
): boolean {
  const at = [path, real].map((one) =>
    isWithin(one, layout.home) ? `~${one.slice(layout.home.length)}` : one,
  );
  return noise.some(
    (row) =>
      (row.programs === undefined || row.programs.includes(program)) &&
      (row.failed === undefined || row.failed === failed) &&
      at.some((one) => row.paths.test(one)),
  );
}

function shorten(call: string, { base }: Layout): string {
  return call.replaceAll(base, 'BASE').slice(0, 300);
}
