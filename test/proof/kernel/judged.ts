import { basename } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { fullRole, openCeiling } from '../../../src/permissions/ceiling.ts';
import { decide } from '../../../src/permissions/decide.ts';
import type { Look } from '../../../src/permissions/look.ts';
import { lookAtFiles } from '../../../src/permissions/look-files.ts';
import { exploreRole } from '../../../src/permissions/roles.ts';
import { type JudgedCommand, readScript } from '../../../src/permissions/shell/script.ts';
import { literalOf } from '../../../src/permissions/shell/types.ts';
import { placesOf } from '../../../src/permissions/shell/uses.ts';
import type { CallWorkspace, Role } from '../../../src/permissions/types.ts';
import type { Decision, PermissionMode } from '../../../src/protocol/permission.ts';
import { openRealPaths, realPathOf } from '../../../src/workspace/real-path.ts';
import { rule } from '../../permissions/cases.ts';
import type { Judgement } from './compare.ts';
import type { Layout } from './layout.ts';

/** Who runs a line, and in which mode. */
export interface Posture {
  readonly name: string;
  readonly mode: PermissionMode;
  readonly role: Role;
}

export const postures: readonly Posture[] = [
  { name: 'default', mode: 'default', role: fullRole },
  { name: 'plan', mode: 'plan', role: fullRole },
  { name: 'Explore', mode: 'default', role: exploreRole },
  { name: 'acceptEdits', mode: 'acceptEdits', role: fullRole },
];

/** A line, where it would run. */
export interface Given {
  readonly line: string;
  readonly cwd: string;
  readonly layout: Layout;
  readonly posture: Posture;
  /** The shell of the harness: a plain sh where the machine has no bash. */
  readonly shell: 'bash' | 'dash';
  /** What of the file system is not seen, for a judge with a hole. */
  readonly blind?: Partial<Look>;
}

export interface Allowed extends Judgement {
  readonly decision: Decision;
}

/** Says of a line that runs without asking what it was taken for; undefined for all others. */
export type JudgeLine = (given: Given) => Allowed | undefined;

export const judgeLine: JudgeLine = ({ line, cwd, layout, posture, shell, blind }) => {
  const access = { kind: 'shell' as const, command: line, cwd };
  const seen = workspaceOf(layout);
  const workspace = {
    ...seen,
    ...(seen.look && blind ? { look: { ...seen.look, ...blind } } : {}),
    dialect: shell === 'bash' ? ('bash' as const) : ('sh' as const),
  };
  const rules = ['Read(.env)', 'Read(secret/**)'].map((text) => rule(text, 'deny', layout.workspace));
  const call = { tool: 'Bash', accesses: [access], workspace, input: { command: line } };
  const decision = decide(openCeiling, posture.role, posture.mode, rules, call);
  if (decision.behaviour !== 'allow') return undefined;
  const commands = readScript(access, workspace).all;
  const programs = new Set(
    commands.flatMap(({ command }) => basename(literalOf(command.words[0]) ?? '') || []),
  );
  const writes = commands.flatMap((one) => judgedWrites(one, workspace));
  return { decision, programs, writes };
};

/** Each place that a command was judged to write or remove, by its name and by where that leads. */
function judgedWrites({ command, effect, redirects }: JudgedCommand, workspace: CallWorkspace): string[] {
  const uses = [...(effect.known ? effect.uses : []), ...redirects];
  return uses
    .filter(({ kind }) => kind === 'write' || kind === 'remove')
    .flatMap((use) => placesOf(use, command.directories, workspace) ?? [])
    .flatMap(({ path }) => [path, workspace.realPath(path)]);
}

const workspaces = new WeakMap<Layout, CallWorkspace>();

function workspaceOf(layout: Layout): CallWorkspace {
  const before = workspaces.get(layout);
  if (before) return before;
  const workspace: CallWorkspace = {
    cwd: layout.workspace,
    directories: [],
    home: `${layout.home}/.cadre`,
    userHome: layout.home,
    realPath: realPathOf,
    openPaths: openRealPaths,
    // Nothing changes there: one look is enough for all lines.
    look: lookAtFiles([layout.workspace], { ...systemClock, monotonic: () => 0 }),
  };
  workspaces.set(layout, workspace);
  return workspace;
}
