import { readdirSync, rmdirSync, rmSync } from '../lib/files/exact-files.ts';
import { join } from '../lib/files/exact-paths.ts';
import { removeTreeMeanwhile } from '../lib/files/remove-tree.ts';
import { checkOwner } from '../lib/processes/owner-rights.ts';
import { ownerVariable } from '../lib/processes/process.ts';
import type { Result } from '../lib/result.ts';
import type { Sandbox, SandboxTerms, ShellSandbox } from '../protocol/sandbox.ts';
import type { SandboxSettings } from '../settings/loaded.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { settlePlaces } from '../workspace/settled-places.ts';
import type { Means } from './bwrap/means.ts';
import { Afterwards } from './guard/afterwards.ts';
import { removeEmptyFolder, setAside } from './guard/left-sandboxes.ts';
import { statEntry } from './guard/look.ts';
import type { GuardSweep } from './guard/sweep.ts';
import type { SandboxOptions } from './options.ts';
import { Refusals } from './refusals.ts';

export interface OpenedSandbox extends ShellSandbox {
  /** Whether it works, and if not why not. */
  probe(): Promise<Result<void>>;
  /**
   * Files that commands put into their `/tmp` are removed as far as time allows, and otherwise by a later start. `passedOn`:
   * another process has taken the session over, and the files in its directory are that one's.
   */
  close(passedOn?: boolean): Promise<void>;
}

/** A session's sandbox. Nothing is read, created or even loaded before the first command. */
export function openSandbox(options: SandboxOptions): OpenedSandbox {
  const terms = buildTerms(options.settings);
  const settled = settlePlaces();
  const writable = () => settled(options.settings.filesystem.allowWrite);
  writable();
  let means: Promise<Means> | undefined;
  const ready = () => {
    means ??= import('./bwrap/means.ts').then(({ openMeans }) => openMeans(options));
    return means;
  };
  /** By the directories they watch. */
  const sweeps = new Map<string, Promise<GuardSweep>>();
  const opened: GuardSweep[] = [];
  const late: string[] = [];
  const afterwards = new Afterwards();
  const openSweep = async (roots: readonly string[]) => {
    const { leaveOut, surveyWorkspace } = await import('./guard/survey.ts');
    const { GuardSweep } = await import('./guard/sweep.ts');
    const { findOtherCommands, joinOtherCommands } = await import('./guard/other-commands.ts');
    const { homes } = await ready();
    const before = findOtherCommands(homes, roots);
    const survey = await surveyWorkspace(roots, resolveRealPath(options.home));
    leaveOut(survey, joinOtherCommands(before, findOtherCommands(homes, roots)).made);
    const sweep = new GuardSweep(survey, roots);
    opened.push(sweep);
    return sweep;
  };
  let chosen: Promise<Sandbox> | undefined;
  let found: Promise<SandboxTerms | undefined> | undefined;
  const choose = () => {
    chosen ??= options.choose();
    return chosen;
  };
  const refusals = new Refusals();
  const prove = async () => {
    const { proveSandbox } = await import('./bwrap/prove.ts');
    return proveSandbox(await choose(), options);
  };
  let proven: Promise<Result<void>> | undefined;
  /** Once: every command is prepared by it. */
  const probe = () => {
    proven ??= prove().then((works) => {
      if (isPassing(works)) proven = undefined;
      return works;
    });
    return proven;
  };
  let isUnproven = false;
  const find = async () => {
    const works = await probe();
    if (works.ok) return terms;
    // With room on the disk it may well work. Until then no command runs, rather than one without walls.
    if (isPassing(works)) {
      found = undefined;
      isUnproven = true;
      return terms;
    }
    const { message, hint } = works.problem;
    options.notify(`Shell commands are not confined. ${hint ? `${message} ${hint}` : message}`);
    return undefined;
  };
  return {
    probe,
    ready() {
      found ??= find();
      return found;
    },
    async confine(launch, scope, scratch) {
      const allowed = checkOwner(launch.env[ownerVariable]);
      if (!allowed.ok) return allowed;
      afterwards.now();
      if (isUnproven) {
        const works = await probe();
        if (!works.ok) return works;
        isUnproven = false;
      }
      const { confineCommand, ...known } = await ready();
      return confineCommand(await choose(), launch, scope, {
        ...{ ...options, ...known, terms, scratch, writable, late, afterwards, refusals },
        sweep: (roots) => remembered(sweeps, roots.join('\0'), () => openSweep(roots)),
      });
    },
    findRefusal: (command) => refusals.of(command),
    async close(passedOn = false) {
      afterwards.now();
      for (const sweep of opened) sweep.close();
      void chosen?.then((sandbox) => sandbox.close?.());
      if (!passedOn) await clear(options);
    },
  };
}

function isPassing(works: Result<void>): boolean {
  return !works.ok && works.problem.passing === true;
}

/** A failure may succeed the next time. */
function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const value = known.get(key) ?? make();
  known.set(key, value);
  value.catch(() => known.delete(key));
  return value;
}

export function buildTerms(settings: SandboxSettings): SandboxTerms {
  return {
    autoAllow: settings.autoAllowBashIfSandboxed !== false,
    outside: settings.allowUnsandboxedCommands !== false,
    excluded: settings.excludedCommands,
    network: settings.network.allowedDomains.length > 0,
  };
}

async function clear({ directory, home }: SandboxOptions): Promise<void> {
  const temporary = join(directory, 'tmp');
  if (statEntry(temporary)) {
    // Moved aside first: if the process is killed meanwhile, a later start finds it.
    await removeTreeMeanwhile(setAside(temporary, home) ?? temporary, { limitMs: closeMs });
    removeEmptyFolder(home);
  }
  clearFiles(directory);
}

/** The end of a session waits at most this long for it. */
const closeMs = 1_000;

function clearFiles(directory: string): void {
  try {
    for (const name of readdirSync(directory))
      if (/^(?:calls|excludes|mounts)-/.test(name)) rmSync(join(directory, name), { force: true });
    rmdirSync(directory);
  } catch {
    // Missing, or not empty.
  }
}
