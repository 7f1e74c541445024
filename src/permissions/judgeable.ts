import { parseHost } from '../lib/hosts.ts';
import type { Access, Decision } from '../protocol/permission.ts';
import { readScript, type ShellPlace } from '../shell/walk/script.ts';
import { isPrivateHost } from './decide.ts';

/**
 * Whether a model may answer this question in a person's place. Not where the user's own rule wants it asked, where the
 * path is a protected one, where the session or the role speaks, where it is a question to the user, where it leads into
 * a private network, or where some of the text could not even be read.
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
