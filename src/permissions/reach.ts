import { parseHost } from '../lib/hosts.ts';
import type { Reach } from '../protocol/tool.ts';
import { findExactGrant } from '../shell/rules/match.ts';
import { judge, type PermissionContext } from './context.ts';
import { isPrivateHost } from './decide.ts';

/**
 * How far `WebFetch` may go, asked for each address on its way. This machine and private networks are open only to an
 * intended host: named by an allow rule without a wildcard, or plainly private and approved by the user for this call.
 * Neither a rule for everything nor `bypassPermissions` counts as intent.
 */
export function createReachJudge(context: PermissionContext): (url: string) => Reach {
  return (url) => {
    const accesses = [{ kind: 'network' as const, url }];
    const { behaviour, reason } = judge(context, { tool: 'WebFetch', accesses, input: { url } });
    const named = findExactGrant(context.rules, url) !== undefined;
    const approved = behaviour === 'ask' && isPrivateHost(parseHost(url)?.name ?? '');
    return { behaviour, reason, privately: behaviour !== 'deny' && (named || approved) };
  };
}
