import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { inflateSync } from 'node:zlib';
import { runsLater } from '../../../src/places/runs-later.data.ts';
import { isWithin } from '../../../src/workspace/paths.ts';
import type { Ran } from './driver.ts';
import type { Layout } from './layout.ts';
import { connectNoise, helpers, readNoise, writeNoise } from './noise.data.ts';
import type { RuleSet } from './rule-sets.ts';
import type { Event } from './trace.ts';

/** What was judged of a line, as far as the kernel can contradict it. */
export interface Judgement {
  /** The places that it writes or removes; none for a line that is known to change nothing. */
  readonly writes: readonly string[];
  /** The programs that the judge saw in the line, by their last names. */
  readonly programs: ReadonlySet<string>;
  /** Rules allow programs: which files they touch is theirs to say, but for those that rules and protection keep. */
  readonly isGranted?: true;
  /** Everything is allowed, but for our own keys. */
  readonly isFree?: true;
  /** Whatever git writes by itself is allowed. */
  readonly grantsGit?: true;
  /** Credentials are closed to whoever runs it. */
  readonly isClosed?: true;
  readonly rules: RuleSet;
}

/** What the kernel saw against what was judged; empty where they agree. */
export function contradictions(ran: Ran, judged: Judgement, layout: Layout): string[] {
  const found = ran.trace.events.flatMap((event) => {
    const fault = faultOf(event, judged, layout);
    return fault === undefined ? [] : [`${fault}: ${event.program} ${shorten(event.call, layout)}`];
  });
  const printed = forbiddenText(judged).filter((text) => ran.output.includes(text));
  return [...new Set([...found, ...printed.map((text) => `printed ${text}`)])];
}

/** What no output of it may hold. */
function forbiddenText({ isGranted, isFree, isClosed, rules }: Judgement): readonly string[] {
  if (isFree) return ['canary-own'];
  return [
    ...['canary-own', ...rules.prints],
    ...(isClosed ? ['canary-credential', 'canary-env'] : []),
    ...(isGranted ? [] : ['canary-outside']),
  ];
}

function faultOf(event: Event, judged: Judgement, layout: Layout): string | undefined {
  const own = faultOfOwn(event, layout);
  if (own !== undefined || judged.isFree) return own;
  switch (event.kind) {
    case 'exec':
      return faultOfProgram(event, judged.programs);
    case 'write':
      return isNoise(event, writeNoise, layout) ? undefined : faultOfWrite(event, judged, layout);
    case 'read':
      return event.failed !== undefined || isNoise(event, readNoise, layout)
        ? undefined
        : faultOfRead(event, layout, judged);
    case 'connect':
      // Whoever allows such a program by a rule allows what it is for.
      return isNoise(event, connectNoise, layout) || (judged.isGranted && transfers.test(event.program))
        ? undefined
        : 'reaches for a network';
    case 'kill':
      return 'sends a signal to another process';
    case 'system':
      return 'changes the machine';
  }
}

const transfers = /^(?:curl|wget)$/;

/** Our own keys are nobody's, whatever else is allowed. */
function faultOfOwn({ kind, path, real = path, failed }: Event, { home }: Layout): string | undefined {
  if (kind !== 'read' && kind !== 'write') return undefined;
  return failed === undefined && real === `${home}/.cadre/keys.json` ? 'opens our own keys' : undefined;
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
  { writes, isGranted, grantsGit, rules }: Judgement,
  layout: Layout,
): string | undefined {
  if (grantsGit && program.startsWith('git')) return faultOfRuled(real ?? path, rules, layout);
  // A rule for `git rm` or `git ls-files` is one for git's own list of files, and for the objects that it makes of them.
  if (isGranted && program.startsWith('git') && ownData.test(real ?? path)) return undefined;
  const isKept = faultOfKept(real ?? path, failed === undefined ? call : '', rules, layout);
  if (isKept !== undefined || isGranted) return isKept;
  if (writes.length === 0) return 'writes';
  if (layout.sharedOutside?.includes(path) && /^(?:open|creat|truncate)/.test(call))
    return 'writes a file that has another name outside';
  if ([path, real ?? path].some((one) => !isWithin(one, layout.workspace))) return 'writes outside';
  if (!writes.some((judged) => [path, real ?? path].some((one) => covers(judged, one, program))))
    return 'writes another file than was judged';
  return undefined;
}

/** What git brings back is allowed, but for what a rule refuses. */
function faultOfRuled(path: string, { writes }: RuleSet, { workspace }: Layout): string | undefined {
  return isWithin(path, workspace) && writes?.test(path.slice(workspace.length))
    ? 'writes what a rule refuses'
    : undefined;
}

const ownData = /\/\.git\/(?:index(?:\.lock)?|objects\/[\da-f]{2}(?:\/(?:tmp_obj_\w+|[\da-f]{38}))?)$/;

/** What is protected, or denied by a rule; a directory that is moved takes what is in it along. */
function faultOfKept(path: string, call: string, rules: RuleSet, layout: Layout): string | undefined {
  if (!isWithin(path, layout.workspace)) return undefined;
  const below = path.slice(layout.workspace.length);
  if (protectedName.test(below)) return 'writes what is protected';
  if (rules.writes?.test(below)) return 'writes what a rule refuses';
  if (layout.runs?.some((one) => (one.endsWith('/') ? below.startsWith(one) : below === one)))
    return 'writes what git runs later';
  return call.startsWith('rename') && holding(rules).some((one) => isWithin(one, below))
    ? 'moves what is protected, or what a rule refuses'
    : undefined;
}

/** Every name of the table, wherever it is in a path: compared here in the plainest way. */
const protectedName = new RegExp(
  `/(?:${runsLater
    .flatMap(({ names }) => names)
    .map((name) => name.replace(/[.+?^$()[\]{}|\\]/g, '\\$&').replaceAll('*', '[^/]*'))
    .join('|')})(?:/|$)`,
  'i',
);

const protectedPlaces = ['/pkg/.git', '/app/deep/.vscode', '/ci/.husky'];

function holding({ writes }: RuleSet): readonly string[] {
  return [...protectedPlaces, ...['/kept', '/kept/inner'].filter((one) => writes?.test(one))];
}

/** A directory counts for all that is in it, `-p` makes or removes those above, and sed writes a file beside the one it edits. */
function covers(judged: string, path: string, program: string): boolean {
  if (isWithin(path, judged)) return true;
  if (program === 'mkdir' || program === 'rmdir') return isWithin(judged, path);
  return program === 'sed' && dirname(path) === dirname(judged) && /^sed\w{6}$/.test(basename(path));
}

function faultOfRead(
  { path, real = path, program, call }: Event,
  layout: Layout,
  { isGranted, isClosed, rules }: Judgement,
): string | undefined {
  const isOfGit =
    program.startsWith('git') && layout.repository !== undefined && isWithin(real, layout.repository);
  if (!isWithin(real, layout.workspace)) return isGranted || isOfGit ? undefined : 'reads outside';
  const below = real.slice(layout.workspace.length);
  // Git reads every file that it keeps to see whether it changed; what it shows is seen in the output.
  // Names in a directory are no content.
  if (program.startsWith('git') || call.includes('O_DIRECTORY') || isDirectory(real)) return undefined;
  if (rules.reads?.test(below)) return 'reads what a rule refuses';
  const closed = [...rules.prints, ...(isClosed ? ['canary-credential', 'canary-env'] : [])];
  if (object.test(below) && closed.some((text) => readObject(real).includes(text)))
    return 'reads an object of git that holds what is closed';
  return isClosed && credential.test(below) ? 'reads credentials' : undefined;
}

const object = /\/objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/;

/** `find -execdir` opens the one it goes to without saying that it is one. */
function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The text of an object that the layout has: one that the line itself made holds nothing new. */
function readObject(path: string): string {
  try {
    return inflateSync(readFileSync(path)).toString();
  } catch {
    return '';
  }
}

/** The files of our layouts that hold credentials. */
const credential = /\/(?:\.env(?:\.(?:json|yaml|txt))?|id_rsa|\.ssh\/.+|\.aws\/.+)$/;

function isNoise(
  { path, real = path, program, failed, call }: Event,
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
      (row.call === undefined || row.call.test(call)) &&
      (row.isLed ? at.slice(1) : at).some((one) => row.paths.test(one)),
  );
}

function shorten(call: string, { base }: Layout): string {
  return call.replaceAll(base, 'BASE').slice(0, 300);
}
