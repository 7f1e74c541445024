import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import { emptyLook } from '../../src/places/look.ts';
import type { Call, CallWorkspace, Ceiling, Role } from '../../src/places/types.ts';
import type { Access, Decision, PermissionMode, Rule, RuleBehaviour } from '../../src/protocol/permission.ts';
import { parseRule } from '../../src/settings/rules.ts';
import { splitPath } from '../../src/workspace/paths.ts';

export const workspace: CallWorkspace = {
  cwd: '/repo',
  directories: ['/extra'],
  readable: ['/home/u/.cadre/outputs'],
  home: '/home/u/.cadre',
  userHome: '/home/u',
  realPath: linksOf({}),
  look: emptyLook,
};

/** A file system of links only: the longest link that a path begins with is replaced by its target. */
export function linksOf(links: Record<string, string>): (path: string) => string {
  return (path) => {
    const clean = `/${splitPath(path).join('/')}`;
    const link = Object.keys(links).find((one) => clean === one || clean.startsWith(`${one}/`));
    return link === undefined ? clean : (links[link] ?? '') + clean.slice(link.length);
  };
}

export function rule(text: string, behaviour: RuleBehaviour, base = '/repo'): Rule {
  const parsed = parseRule(text, behaviour, 'project', '/repo/.cadre/settings.json', base);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.value;
}

export interface Case {
  tool?: string;
  accesses: Access[];
  allow?: string[];
  ask?: string[];
  deny?: string[];
  mode?: PermissionMode;
  ceiling?: Ceiling;
  role?: Role;
  workspace?: Partial<CallWorkspace>;
  input?: Record<string, unknown>;
}

export function judge(one: Case): Decision {
  const rules = (['allow', 'ask', 'deny'] as const).flatMap((behaviour) =>
    (one[behaviour] ?? []).map((text) => rule(text, behaviour)),
  );
  const call: Call = {
    tool: one.tool ?? toolFor(one.accesses[0]),
    accesses: one.accesses,
    workspace: { ...workspace, ...one.workspace },
    ...(one.input ? { input: one.input } : {}),
  };
  return decide(one.ceiling ?? openCeiling, one.role ?? fullRole, one.mode ?? 'default', rules, call);
}

function toolFor(access: Access | undefined): string {
  const tools = {
    none: 'TodoWrite',
    read: 'Read',
    write: 'Edit',
    shell: 'Bash',
    network: 'WebFetch',
    mcp: 'mcp__server__tool',
    question: 'AskUserQuestion',
  };
  return tools[access?.kind ?? 'none'];
}

export const read = (path: string): Access => ({ kind: 'read', path });
export const write = (path: string): Access => ({ kind: 'write', path });
export const shell = (command: string): Access => ({ kind: 'shell', command, cwd: '/repo' });
