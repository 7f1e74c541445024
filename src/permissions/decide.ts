import { findAddressFamily, isPublicAddress } from '../lib/addresses.ts';
import { formatHost, isLocalName, parseHost } from '../lib/hosts.ts';
import { visibleLine } from '../lib/text/text.ts';
import { findCredential, namesCredential } from '../places/credentials.ts';
import { machineFacts } from '../places/machine-facts.data.ts';
import { isInside, isTold, type ResolvedPath, rememberPaths, resolvePath } from '../places/paths.ts';
import { findProtection, holdsOwnSecret, isOwnSecret, sharedFile } from '../places/protected.ts';
import { allow, ask, byRule, deny, nameRule, strictness } from '../places/reasons.ts';
import type { Call, Ceiling, Role } from '../places/types.ts';
import type { Access, Decision, PermissionMode, Rule } from '../protocol/permission.ts';
import { findSandboxStanding, liftsQuestions, refusedOutside, withStanding } from '../sandbox/standing.ts';
import { isReadOnly, judgeParts } from '../shell/judge/judge.ts';
import type { Finding, Watch } from '../shell/judge/shell-case.ts';
import { isBroadGrant } from '../shell/rules/judge-line.ts';
import { type MatchedRules, matchRules } from '../shell/rules/match.ts';
import { isSuspendedInAuto } from './auto.ts';
import { narrowCeiling, planCeiling, withoutToolLimit } from './ceiling.ts';
import { isolationRefusal } from './isolation.ts';
import { ceilingRefusal, roleRefusal } from './limits.ts';
import { outsideReason, untoldReason } from './outside-reason.ts';
import { judgeOwn, judgeShared } from './own-places.ts';
import { judgeStored } from './stored-files.ts';

/**
 * The one decision for every tool call of every agent: ceiling, role, deny rules, ask rules, allow rules, mode, sandbox, in
 * this order. Pure and total. With several accesses the strictest decision wins.
 */
export function decide(
  ceiling: Ceiling,
  role: Role,
  mode: PermissionMode,
  rules: readonly Rule[],
  call: Call,
  /** Receives the findings about each part of a shell command, for explanations. */
  watch?: Watch,
): Decision {
  const remembered = { ...call, workspace: rememberPaths(call.workspace) };
  const limit = mode === 'plan' ? narrowCeiling(ceiling, planCeiling(call.workspace.planFile)) : ceiling;
  const accesses: readonly Access[] = call.accesses.length > 0 ? call.accesses : [{ kind: 'none' }];
  const decisions = accesses.map((access) => {
    const judged = judgeAccess(limit, role, mode, rules, remembered, access, watch);
    const decision = judgeNames(mode, remembered, access, judged) ?? judged;
    return mode === 'dontAsk' && decision.behaviour === 'ask' ? denyUnasked(decision) : decision;
  });
  const { needs: _, ...strictest } = decisions.reduce((worst, next) =>
    strictness(next) > strictness(worst) ? next : worst,
  );
  return { ...strictest, reason: cutReason(strictest.reason) };
}

/** A path or an operand that a reason names may be as long as a line. */
function cutReason(reason: string): string {
  return reason.length > maxReason ? `${reason.slice(0, maxReason)}…` : reason;
}

const maxReason = 1024;

function judgeAccess(
  ceiling: Ceiling,
  role: Role,
  mode: PermissionMode,
  rules: readonly Rule[],
  call: Call,
  access: Access,
  watch?: Watch,
): Decision {
  const refused =
    ceilingRefusal(ceiling, call, access) ??
    isolationRefusal(call, access) ??
    roleRefusal(role, call, access);
  if (refused) return refused;
  if (access.kind === 'network' && !parseHost(access.url))
    return deny('default', `${visibleLine(access.url, 200)} is not a plain http(s) address`);
  const path = 'path' in access ? resolvePath(access.path, call.workspace) : undefined;
  if (path && isOwnSecret(path, call.workspace))
    return deny('protected-path', `${path.given} holds keys or trust data, which no tool may read or write`);
  const asksForShell = access.kind === 'shell' && ceiling.shell === 'ask';
  const given = mode === 'auto' ? rules.filter((rule) => !isSuspendedInAuto(rule)) : rules;
  const usable = asksForShell ? given.filter((rule) => !isBroadGrant(rule)) : given;
  const matched = withPolicy(matchRules(usable, call, access), call, access);
  const refusal = judgeByRefusals(matched, path);
  if (access.kind === 'shell' && refusal?.behaviour !== 'deny') {
    const whole = matched.allow;
    const standing = findSandboxStanding(call, access);
    if (standing === 'refused') return refusedOutside;
    const confined = liftsQuestions(standing, call, ceiling, role);
    const findings: Finding[] = [];
    const parts = judgeParts({
      watch(found) {
        findings.push(...found);
        watch?.(found);
      },
      ...{ access, ceiling, mode, call, rules: usable, whole, confined, inside: standing === 'inside' },
      judgePath: (tool, inner) =>
        judgeAccess(
          withoutToolLimit(ceiling),
          anyTool(role),
          mode,
          rules,
          { ...call, tool, inside: standing === 'inside' },
          inner,
        ),
    });
    const judged = refusal && parts.behaviour !== 'deny' ? refusal : nameOthers(parts, findings);
    const decision = whole && judged.behaviour === 'allow' ? { ...judged, asWhole: true as const } : judged;
    return withStanding(decision, standing, {
      ...{ call, mode, ceiling },
      changesNothing: () => isReadOnly(access, call.workspace).yes,
    });
  }
  return (
    refusal ??
    judgeQuestion(access) ??
    judgeStored(ceiling, usable, call, access) ??
    judgeUnmarked(ceiling, role, access) ??
    judgeOwn(call.workspace, access, path) ??
    judgeShared(call, access, path) ??
    judgeUntold(mode, access, path) ??
    judgeProtected(mode, call, access, path) ??
    judgeCredential(mode, call, usable, access, path) ??
    (matched.allow ? byRule('allow', matched.allow) : undefined) ??
    judgeByMode(mode, call, access, path)
  );
}

/** When the user is asked about a line, the question names every command in it that needs approval, not only the first. */
function nameOthers(decision: Decision, findings: readonly Finding[]): Decision {
  if (decision.behaviour !== 'ask') return decision;
  const asked = findings.filter(({ decision: one }) => one.behaviour === 'ask' && one.by !== 'rule');
  const kinds = new Map(
    [decision, ...asked.map((one) => one.decision)].map(({ reason }) => [shortenReason(reason), reason]),
  );
  kinds.delete(shortenReason(decision.reason));
  const others = [...kinds.values()].map((reason) =>
    reason.replace(/, and no rule allows this command$/, ''),
  );
  if (others.length === 0) return decision;
  const more = others.length > maxOthers ? `; and ${others.length - maxOthers} more` : '';
  return { ...decision, reason: `${decision.reason}; also ${others.slice(0, maxOthers).join('; ')}${more}` };
}

const maxOthers = 3;

/** Many files written the same way are shown as one. */
function shortenReason(reason: string): string {
  return reason.split(' ', 4).join(' ');
}

/** A path in a command is judged as a tool for it would be, even if this agent does not have that tool. */
function anyTool(role: Role): Role {
  const { confined: _, ...others } = role;
  return { ...others, tools: '*', denied: [] };
}

/** The policy of a tool holds like a rule of the same kind. */
function withPolicy(matched: MatchedRules, { tool, workspace }: Call, access: Access): MatchedRules {
  const policy = access.kind === 'mcp' ? access.policy : undefined;
  if (policy === undefined) return matched;
  const behaviour = policy === 'always_deny' ? 'deny' : 'ask';
  const source = `the policy of the server, ${policy}`;
  const rule: Rule = { behaviour, tool, layer: 'session', source, base: workspace.cwd };
  return { ...matched, [behaviour]: matched[behaviour] ?? rule };
}

function judgeByRefusals(matched: MatchedRules, path: ResolvedPath | undefined): Decision | undefined {
  if (matched.deny) return byRule('deny', matched.deny);
  if (matched.ask) return byRule('ask', matched.ask);
  if (matched.untold)
    return { ...ask('rule', untoldReason(path, nameRule(matched.untold))), rule: matched.untold };
  if (!matched.unclear) return undefined;
  const reason = `parts of it are computed or cannot be read, so ${nameRule(matched.unclear)} may apply`;
  return { ...ask('rule', reason), rule: matched.unclear };
}

/** No rule or mode answers a question that only the user can answer, not even one that skips all questions. */
function judgeQuestion(access: Access): Decision | undefined {
  return access.kind === 'question' ? ask('default', 'it is a question to the user') : undefined;
}

/** An agent that may not write is asked about each call that could, whatever rule or mode allows it for others. */
function judgeUnmarked(ceiling: Ceiling, role: Role, access: Access): Decision | undefined {
  if (access.kind !== 'mcp' || access.readOnly || (role.writes && ceiling.writes === 'any')) return undefined;
  const who = role.writes ? 'nothing may be changed in plan mode' : 'this agent may not write';
  return ask('role', `${who}, and the MCP server does not mark this tool as read-only`);
}

/** No grant is about a file of which nobody knows which it is. */
function judgeUntold(
  mode: PermissionMode,
  access: Access,
  path: ResolvedPath | undefined,
): Decision | undefined {
  if ((access.kind !== 'write' && access.kind !== 'read') || !path || isTold(path)) return undefined;
  return mode === 'bypassPermissions' ? undefined : ask('workspace', outsideReason(path));
}

/** Only bypass covers these. Plan mode may write its own plan file. */
function judgeProtected(
  mode: PermissionMode,
  call: Call,
  access: Access,
  path: ResolvedPath | undefined,
): Decision | undefined {
  if (access.kind !== 'write' || !path) return undefined;
  // The ceiling has refused everything else.
  if (mode === 'plan') return allow('mode', 'plan mode may write the plan file');
  if (mode === 'bypassPermissions') return undefined;
  const protection = findProtection(path, call.workspace);
  if (!protection) return undefined;
  const reason = `${protection}; writing ${path.given} is always asked about`;
  return { ...ask('protected-path', reason), needs: { outside: true } };
}

/** A tool's write to a file with several names; a command's writes are judged with the command. */
function judgeNames(
  mode: PermissionMode,
  { workspace }: Call,
  access: Access,
  { behaviour }: Decision,
): Decision | undefined {
  if (access.kind !== 'write' || behaviour !== 'allow' || mode === 'bypassPermissions') return undefined;
  const shared = sharedFile(resolvePath(access.path, workspace), workspace);
  return shared === undefined ? undefined : ask('protected-path', shared);
}

/** Reading files that hold credentials needs a rule that names them, or an answer. */
function judgeCredential(
  mode: PermissionMode,
  call: Call,
  rules: readonly Rule[],
  access: Access,
  path: ResolvedPath | undefined,
): Decision | undefined {
  if (access.kind !== 'read' || !path || mode === 'bypassPermissions') return undefined;
  const found = findCredential(path, call.workspace.look);
  if (found === undefined) return undefined;
  const naming = rules.filter(
    ({ behaviour, specifier }) =>
      behaviour === 'allow' && specifier !== undefined && namesCredential(specifier, path),
  );
  if (matchRules(naming, call, access).allow) return undefined;
  return {
    ...ask('protected-path', `${found} may hold credentials`),
    needs: { files: [...new Set([path.real, path.given])] },
  };
}

function judgeByMode(
  mode: PermissionMode,
  call: Call,
  access: Access,
  path: ResolvedPath | undefined,
): Decision {
  if (mode === 'bypassPermissions') return allow('mode', 'mode bypassPermissions never asks');
  const { workspace } = call;
  const directories = [workspace.cwd, ...workspace.directories];
  switch (access.kind) {
    case 'none':
      if (access.asks !== undefined) return ask('default', access.asks);
      // Other modes do not ask about this, but here nothing changes unless a rule allows it.
      if (access.changes !== undefined && mode === 'dontAsk')
        return deny('mode', `${access.changes}, and mode dontAsk denies changes that no rule allows`);
      return call.tool.startsWith('mcp__')
        ? askAboutServer(call)
        : allow('default', `${call.tool} touches neither files nor the shell`);
    case 'mcp':
      return call.tool.startsWith('mcp__')
        ? askAboutServer(call)
        : ask(
            'default',
            `${call.tool} contacts the MCP server ${access.server}, and no rule allows that (the rule mcp__${access.server} would)`,
          );
    case 'shell':
      return ask('default', 'no rule allows this command');
    case 'network':
      return ask('default', `no rule allows a request to ${describeHost(access.url)}`);
    case 'question':
      return ask('default', 'it is a question to the user');
    case 'read':
    case 'write': {
      const resolved = path ?? { given: access.path, real: access.path };
      const inside = isInside(resolved, directories, workspace);
      return access.kind === 'read' ? judgeRead(call, resolved, inside) : judgeWrite(mode, resolved, inside);
    }
  }
}

function askAboutServer({ tool }: Call): Decision {
  return ask('default', `${tool} comes from an MCP server and no rule allows it`);
}

function judgeRead(call: Call, path: ResolvedPath, inside: boolean): Decision {
  const { workspace } = call;
  if (inside && holdsOwnSecret(path, workspace) && call.tool !== 'Glob')
    return ask('protected-path', `${path.given} contains Cadre's state directory, ${workspace.home}`);
  if (inside) return allow('workspace', `${path.given} is in the workspace`);
  if (isInside(path, workspace.readable ?? [], workspace))
    return allow('workspace', `${path.given} is in a directory for saved outputs, skills or plugins`);
  if ([path.given, path.real].every((one) => machineFacts.has(one)))
    return allow('workspace', `${path.given} only describes the machine`);
  return ask('workspace', outsideReason(path));
}

function judgeWrite(mode: PermissionMode, path: ResolvedPath, inside: boolean): Decision {
  const takesEdits = mode === 'acceptEdits' || mode === 'auto';
  if (takesEdits && inside) return allow('mode', `${mode} allows edits in the workspace`);
  if (takesEdits) return ask('workspace', outsideReason(path));
  return ask('default', `no rule allows writing ${path.given}`);
}

function describeHost(url: string): string {
  const host = parseHost(url);
  if (!host) return 'this address';
  return isPrivateHost(host.name)
    ? `${formatHost(host)}, which is this machine or on a private network`
    : formatHost(host);
}

/** Judged by the name alone: where a public name leads is known only after lookup. */
export function isPrivateHost(name: string): boolean {
  return findAddressFamily(name) === 0 ? isLocalName(name) : !isPublicAddress(name);
}

function denyUnasked(decision: Decision): Decision {
  return {
    ...decision,
    behaviour: 'deny',
    reason: `${decision.reason}; mode dontAsk denies calls that would need to ask`,
  };
}
