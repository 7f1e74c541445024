import { basename, dirname, join } from 'node:path';
import { joinTold, mapTold, type Told, untold } from '../../lib/told.ts';
import { isCredential } from '../../places/credentials.ts';
import { ask, strictness } from '../../places/reasons.ts';
import type { CallWorkspace } from '../../places/types.ts';
import type { Decision } from '../../protocol/permission.ts';
import { splitPath } from '../../workspace/paths.ts';
import type { ShellWord, SimpleCommand } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';
import type { JudgedCommand, Script } from '../walk/script.ts';
import { type ResolvedUse, resolveUses } from './uses.ts';

/**
 * The content of a directory lands with it: each name is judged as a write to its new place. Empty where all of it is fine.
 */
export function judgeCarried(
  one: JudgedCommand,
  script: Script,
  workspace: CallWorkspace,
  judgeWrite: (path: string) => Decision,
  /** The origin of a question that a rule for the command may not answer. */
  doubt: Decision['by'],
): Decision | undefined {
  const carries = one.effect.known ? one.effect.carries : undefined;
  if (!carries) return undefined;
  const { directories } = one.command;
  const resolvePlaces = (word: ShellWord) => resolveUses({ kind: 'read', word }, directories, workspace);
  const targets = mapTold(resolvePlaces(carries.target), (all) => all.map(({ path }) => path));
  const places = joinTold(...carries.sources.map(resolvePlaces));
  const isMade = (path: string) => isMadeBy(script, one, path, workspace);
  const sources =
    places === untold ? untold : joinTold(...places.map((place) => listSources(place, isMade, workspace)));
  if (targets === untold || sources === untold)
    return ask(doubt, 'it is unclear what is copied or moved, or where to');
  let worst: Decision | undefined;
  for (const source of sources) {
    const whole = carries.follows && isLink(source, workspace) ? workspace.realPath(source) : source;
    const carried = isMade(source) ? undefined : workspace.look?.carried(whole);
    if (carried === undefined || carried === untold)
      return ask(doubt, `the future content of ${source} is unknown, or too large to check`);
    if (carried.hasNames && isMoved(one))
      return ask(
        'protected-path',
        `${source} has other names (hard links), or contains files that do; those names keep the content`,
      );
    if (carried.hasLinks)
      return ask(
        carries.follows === 'all' || followsLinks(script, one) ? doubt : 'default',
        `links in ${source} may point elsewhere from the new location`,
      );
    // It goes into an existing directory under its name; otherwise it becomes the target itself.
    for (const into of targets.flatMap((target) => [target, `${target}/${basename(source)}`]))
      for (const path of carried.paths) {
        if (isCredential(`${source}/${path}`) && !isCredential(`${into}/${path}`))
          return ask(
            'protected-path',
            `${source}/${path} may hold credentials, and would be stored under another name`,
          );
        const decision = judgeWrite(`${into}/${path}`);
        if (decision.behaviour === 'deny') return decision;
        if (strictness(decision) > (worst ? strictness(worst) : 0)) worst = decision;
      }
  }
  return worst;
}

/** What a pattern is now, unless the line itself makes names that it may be. */
function listSources(
  { path, pattern, sweep }: ResolvedUse,
  isMade: (path: string) => boolean,
  { look }: CallWorkspace,
): Told<readonly string[]> {
  const isPlain = pattern !== undefined && !pattern.includes('**') && sweep === undefined;
  return isPlain && look && !isMade(path) ? look.expand(path, pattern) : [path];
}

function isLink(path: string, { realPath }: CallWorkspace): boolean {
  return realPath(path) !== join(realPath(dirname(path)), basename(path));
}

/** A copy is a separate file. */
function isMoved({ command }: JudgedCommand): boolean {
  return command.words[0]?.text !== 'cp';
}

/** Whether other commands of the script write below or around it: then its present content says nothing. */
function isMadeBy(script: Script, own: JudgedCommand, source: string, workspace: CallWorkspace): boolean {
  const folded = foldPath(source);
  return writtenBy(script, workspace).some(({ command, places, isFile }) => {
    if (command === own.command) return false;
    if (places === untold) return true;
    // A file that is written stays a file.
    return places.some(
      (place) =>
        !(isFile && place.path === source) &&
        (`${place.folded}/`.startsWith(`${folded}/`) || `${folded}/`.startsWith(`${place.folded}/`)),
    );
  });
}

interface Written {
  readonly command: SimpleCommand;
  readonly places: Told<readonly { path: string; folded: string }[]>;
  readonly isFile: boolean;
}

/** Looked up once for a line, and not for each command that carries something. */
function writtenBy(script: Script, workspace: CallWorkspace): readonly Written[] {
  const before = written.get(script);
  if (before?.workspace === workspace) return before.all;
  const all = script.all.map((one): Written => {
    const uses = [...(one.effect.known ? one.effect.uses : []), ...one.redirects].filter(isWriting);
    const found = joinTold(...uses.map((use) => resolveUses(use, one.command.directories, workspace)));
    const places = mapTold(found, (list) => list.map(({ path }) => ({ path, folded: foldPath(path) })));
    return { command: one.command, places, isFile: !(one.effect.known && one.effect.carries) };
  });
  written.set(script, { workspace, all });
  return all;
}

const written = new WeakMap<Script, { workspace: CallWorkspace; all: readonly Written[] }>();

function isWriting({ kind }: PathUse): boolean {
  return kind === 'write' || kind === 'remove';
}

function foldPath(path: string): string {
  return `/${splitPath(path).join('/')}`.replace(/\/$/, '');
}

/** Whether another part of the line opens or changes files: perhaps through a link that does not exist yet. */
export function followsLinks({ all }: Script, own: JudgedCommand): boolean {
  return all.some((one) => {
    if (one.command === own.command || one.command.wrapper?.kind === 'through') return false;
    return one.redirects.length > 0 || !staying.has(one.command.words[0]?.text ?? '');
  });
}

/** Commands that neither open nor change a file. */
const staying: ReadonlySet<string> = new Set(['mkdir', 'cd', 'echo', 'true', ':', 'test', '[']);
