import { basename } from 'node:path';
import { findCredential } from '../places/credentials.ts';
import { matchesToolName } from '../places/names.ts';
import { isInOwnPlace, resolvePath } from '../places/paths.ts';
import { deny, nameRule } from '../places/reasons.ts';
import type { Call, Ceiling, Role } from '../places/types.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { isMcpToolName } from '../protocol/tool-names.ts';
import { findStoreAt } from '../shell/git/stores.ts';
import { credentialsShown } from '../shell/judge/closed.ts';
import { isReadOnly } from '../shell/judge/judge.ts';
import { matchRules } from '../shell/rules/match.ts';
import { isWithin } from '../workspace/paths.ts';

/** Refusals by the session that apply to every agent. */
export function ceilingRefusal(ceiling: Ceiling, call: Call, access: Access): Decision | undefined {
  if (ceiling.tools && !isMcpToolName(call.tool) && !ceiling.tools.includes(call.tool))
    return deny('ceiling', `this session was started without the tool ${call.tool} (--tools)`);
  const asDeny = ceiling.denied.map((rule) => ({ ...rule, behaviour: 'deny' as const }));
  const { deny: rule, unclear } = matchRules(asDeny, call, access);
  const refusing = rule ?? unclear;
  if (refusing)
    return {
      ...deny('ceiling', `the session denies this to all agents: ${nameRule(refusing)}`),
      rule: refusing,
    };
  if (access.kind === 'shell' && ceiling.shell === 'none')
    return deny('ceiling', 'the session denies shell commands to all agents');
  if (access.kind === 'write' && !mayWrite(ceiling, call, access.path))
    return deny('ceiling', `plan mode: writing ${access.path} is not allowed`);
  if (access.kind === 'none' && access.changes !== undefined && ceiling.writes !== 'any')
    return deny('ceiling', `plan mode: nothing may be changed, and ${access.changes}`);
  return undefined;
}

function mayWrite(ceiling: Ceiling, call: Call, path: string): boolean {
  if (ceiling.writes === 'any') return true;
  if (ceiling.writes === 'none') return false;
  const { given, real } = resolvePath(path, call.workspace);
  // These are real paths: where a link has taken the place of one since, nothing may be written through it.
  return ceiling.writes.only.some((place) => isWithin(given, place) && isWithin(real, place));
}

/** Refusals for this agent, whatever the session allows. */
export function roleRefusal(role: Role, call: Call, access: Access): Decision | undefined {
  const named = (names: readonly string[]) => names.some((name) => matchesToolName(name, call.tool));
  if (role.tools !== '*' && !named(role.tools))
    return deny(
      'role',
      `this agent does not have the tool ${call.tool}${role.because ? ` ${role.because}` : ''}`,
    );
  if (named(role.denied)) return deny('role', `this agent may not use ${call.tool}`);
  const outside = role.confined ? refuseOutside(role.confined, call, access) : undefined;
  if (outside) return outside;
  if (access.kind === 'write' && !role.writes) return deny('role', 'this agent may read but not write');
  if (access.kind === 'none' && access.changes !== undefined && !role.writes)
    return deny('role', `this agent may only read, and ${access.changes}`);
  if (access.kind === 'shell' && role.shell === 'none') return deny('role', 'this agent has no shell');
  if (access.kind === 'shell' && role.shell === 'read-only') {
    const found = isReadOnly(access, call.workspace);
    if (!found.yes) return deny('role', `this agent may only run read-only commands, and ${found.reason}`);
  }
  return role.secrets === 'closed' ? credentialRefusal(call, access) : undefined;
}

/** A tool that an agent has only for its memory touches nothing else. */
function refuseOutside(
  { tools, to }: NonNullable<Role['confined']>,
  { tool, workspace }: Call,
  access: Access,
): Decision | undefined {
  if (!tools.some((name) => matchesToolName(name, tool))) return undefined;
  const path = 'path' in access ? resolvePath(access.path, workspace) : undefined;
  if (path && to.some((place) => isInOwnPlace(path, place))) return undefined;
  const places = to.map((place) => place.path).join(', ');
  return deny('role', `this agent may use ${tool} only for its own memory, ${places}`);
}

function credentialRefusal({ workspace, tool }: Call, access: Access): Decision | undefined {
  if (access.kind === 'shell') {
    const shown = credentialsShown(access, workspace);
    if (shown === undefined) return undefined;
    // The agent reads the reason, so it must not name a file the agent does not know.
    const isKnown = !shown.includes('/') || access.command.includes(basename(shown));
    return deny('role', `${closed}, and the command may reach one${isKnown ? ` (${shown})` : ''}. ${advice}`);
  }
  if (!('path' in access)) return undefined;
  const path = resolvePath(access.path, workspace);
  const found = findCredential(path, workspace.look);
  if (found !== undefined) return deny('role', `${closed}, and ${access.path} is one`);
  const isOpened = access.kind === 'read' && tool !== 'Glob';
  return isOpened && findStoreAt(path, workspace.look)
    ? deny('role', `${closed}, and ${access.path} holds objects of git, which may be such files`)
    : undefined;
}

const closed = 'this agent may not open or list files that hold credentials';
const advice =
  'Use Grep or Glob, which leave such files out, or name the exact files or directories, as in git log -p -- src';
