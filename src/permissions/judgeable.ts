import { parseHost } from '../lib/hosts.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { readScript, type ShellPlace } from '../shell/walk/script.ts';
import { isPrivateHost } from './decide.ts';

/**
 * Whether a model may answer this question instead of the user. Not when the user's own rule asks, the path is protected, the
 * session or the role decides, it is a question to the user, it leads into a private network, or some of the text could not
 * be read.
 */
export function isJudgeable(decision: Decision, accesses: readonly Access[], place: ShellPlace): boolean {
  if (decision.behaviour !== 'ask') return false;
  if (decision.by !== 'default' && decision.by !== 'mode' && decision.by !== 'workspace') return false;
  return accesses.every((access) => {
    if (access.kind === 'question') return false;
    if (access.kind === 'network') return !isPrivateHost(parseHost(access.url)?.name ?? '');
    return access.kind !== 'shell' || !readScript(access, place).parsed.isUnread;
  });
}
