import { basename } from 'node:path';
import { listKnown } from '../../../src/lib/told.ts';
import { fullRole, openCeiling } from '../../../src/permissions/ceiling.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { exploreRole } from '../../../src/permissions/roles.ts';
import { openRunsLater } from '../../../src/places/find-runs-later.ts';
import type { Look } from '../../../src/places/look.ts';
import type { CallWorkspace, Role } from '../../../src/places/types.ts';
import type { Decision, PermissionMode } from '../../../src/protocol/permission.ts';
import { readLiteral } from '../../../src/shell/grammar/types.ts';
import { resolveUses } from '../../../src/shell/judge/uses.ts';
import { lookAtFiles } from '../../../src/shell/look-files.ts';
import { writers } from '../../../src/shell/tables/writers.data.ts';
import { type JudgedCommand, readScript } from '../../../src/shell/walk/script.ts';
import { openRealPaths, resolveRealPath } from '../../../src/workspace/real-path.ts';
import { systemPath } from '../../../src/workspace/search-path.ts';
import { rule } from '../../permissions/cases.ts';
import type { Judgement } from './compare.ts';
import { readerRules, wholeRules } from './granted-readers.ts';
import type { Layout } from './layout.ts';
import type { RuleSet } from './rule-sets.ts';

/** Who runs a line, and in which mode. */
export interface Posture {
  readonly name: string;
  readonly mode: PermissionMode;
  readonly role: Role;
  /** Rules that allow programs. */
  readonly allow?: readonly string[];
  /** Whatever git does by itself is allowed: only the programs that run are compared. */
  readonly grantsGit?: true;
  /** All is allowed, but for our own keys: of its lines few can be wrong, so it is chosen seldom. */
  readonly isFree?: true;
}

export const postures: readonly Posture[] = [
  { name: 'default', mode: 'default', role: fullRole },
  { name: 'plan', mode: 'plan', role: fullRole },
  { name: 'Explore', mode: 'default', role: exploreRole },
  { name: 'acceptEdits', mode: 'acceptEdits', role: fullRole },
  {
    name: 'rules',
    mode: 'default',
    role: fullRole,
    allow: [
      ...Object.keys(writers).map((name) => `${name}:*`),
      ...[
        'sed',
        'dd',
        'find',
        'tar',
        'git mv',
        'git rm',
        'git clean',
        'git diff',
        'git push',
        'git ls-remote',
        'make all',
        'npm test',
        'make check',
      ].map((name) => `${name}:*`),
      ...['bash check.sh', 'awk', ...readerRules].map((name) => `${name}:*`),
      ...wholeRules,
    ]
      .map((text) => `Bash(${text})`)
      // Names that are not files are below these.
      .concat(['Read(//dev/**)', 'Edit(//dev/**)', 'Read(//inet/**)']),
  },
  { name: 'bypass', mode: 'bypassPermissions', role: fullRole, isFree: true },
];

/** Of what git writes nothing is refused here, so it is for lines that are there to run programs. */
export const gitPosture: Posture = {
  ...{ name: 'git', mode: 'acceptEdits', role: fullRole },
  allow: ['Bash(git:*)', 'Bash(printf:*)'],
  grantsGit: true,
};

/** A line, where it would run. */
export interface Given {
  readonly line: string;
  readonly cwd: string;
  readonly layout: Layout;
  readonly posture: Posture;
  /** The shell of the harness: a plain sh where the machine has no bash. */
  readonly shell: 'bash' | 'dash';
  readonly rules: RuleSet;
  /** What a judge with a hole does not know. */
  readonly hole?: Hole;
  /** The session's, if not one for all lines of the layout. */
  readonly workspace?: CallWorkspace;
}

export interface Hole {
  /** What it sees of the file system in place of what is there. */
  blind?(look: Look): Partial<Look>;
  /** Which rules it has. */
  readonly rules?: readonly string[];
  readonly role?: Role;
  /** Where it believes that our own keys are. */
  readonly home?: string;
  /** Git's configuration means nothing to it. */
  readonly isWithoutGit?: true;
}

export interface Allowed extends Judgement {
  readonly decision: Decision;
}

/** Says of a line that runs without asking what it was taken for; undefined for all others. */
export type JudgeLine = (given: Given) => Allowed | undefined;

export const judgeLine: JudgeLine = (given) => {
  const { line, cwd, posture, rules } = given;
  const access = { kind: 'shell' as const, command: line, cwd };
  const { decision, workspace } = decideLine(given);
  if (decision.behaviour !== 'allow') return undefined;
  const commands = readScript(access, workspace).all;
  const programs = new Set(
    commands.flatMap(({ command }) => basename(readLiteral(command.words[0]) ?? '') || []),
  );
  const writes = commands.flatMap((one) => judgedWrites(one, workspace));
  return {
    ...{ decision, programs, writes, rules },
    ...(posture.role.secrets === 'closed' ? { isClosed: true as const } : {}),
    ...(posture.allow ? { isGranted: true as const } : {}),
    ...(posture.isFree ? { isFree: true as const } : {}),
    ...(posture.grantsGit ? { grantsGit: true as const } : {}),
  };
};

/** The decision of a real session about a line, in any of its layouts. */
export function decideLine(given: Given): { decision: Decision; workspace: CallWorkspace } {
  const { line, cwd, layout, posture, shell, rules, hole } = given;
  const workspace = {
    ...seenWith(layout, hole, given.workspace),
    dialect: shell === 'bash' ? 'bash' : 'sh',
  } as const;
  const all = [
    ...(hole?.rules ?? rules.denied).map((text) => rule(text, 'deny', layout.workspace)),
    ...(posture.allow ?? []).map((text) => rule(text, 'allow', layout.workspace)),
  ];
  const accesses = [{ kind: 'shell' as const, command: line, cwd }];
  const call = { tool: 'Bash', accesses, workspace, input: { command: line } };
  const decision = decide(openCeiling, hole?.role ?? posture.role, posture.mode, all, call);
  return { decision, workspace };
}

function seenWith(layout: Layout, hole: Hole | undefined, workspace = workspaceOf(layout)): CallWorkspace {
  const { look, runsLater, ...seen } = workspace;
  return {
    ...seen,
    ...(look ? { look: hole?.blind ? blinded(look, hole.blind) : look } : {}),
    ...(runsLater && !hole?.isWithoutGit ? { runsLater } : {}),
    ...(hole?.home === undefined ? {} : { home: hole.home }),
  };
}

/** For one decision, as long as it lasts. */
function blinded(look: Look, blind: NonNullable<Hole['blind']>): Look {
  const { open: _, ...once } = look.open?.() ?? look;
  return { ...once, ...blind(once) };
}

/** Each place that a command was judged to write or remove, by its name and by where that leads. */
function judgedWrites({ command, effect, redirects }: JudgedCommand, workspace: CallWorkspace): string[] {
  const uses = [...(effect.known ? effect.uses : []), ...redirects];
  return uses
    .filter(({ kind }) => kind === 'write' || kind === 'remove')
    .flatMap((use) => listKnown(resolveUses(use, command.directories, workspace)))
    .flatMap(({ path }) => [path, workspace.realPath(path)]);
}

const workspaces = new WeakMap<Layout, CallWorkspace>();

function workspaceOf(layout: Layout): CallWorkspace {
  const before = workspaces.get(layout);
  if (before) return before;
  const workspace = openWorkspace(layout);
  workspaces.set(layout, workspace);
  return workspace;
}

/** A workspace as a session has it. */
export function openWorkspace(layout: Layout): CallWorkspace {
  return {
    cwd: layout.workspace,
    directories: [],
    home: `${layout.home}/.cadre`,
    userHome: layout.home,
    realPath: resolveRealPath,
    openPaths: openRealPaths,
    look: lookAtFiles([layout.workspace], undefined, { PATH: systemPath, HOME: layout.home }),
    runsLater: openRunsLater({ userHome: layout.home, environment: { HOME: layout.home } }),
  };
}
