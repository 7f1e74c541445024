import { parseHost } from '../lib/hosts.ts';
import { listKnown } from '../lib/told.ts';
import { isInside, resolvePath } from '../places/paths.ts';
import { findProtection } from '../places/protected.ts';
import type { Call, CallWorkspace } from '../places/types.ts';
import type { Access, Decision, Risk, RiskLevel } from '../protocol/permission.ts';
import { readLiteral } from '../shell/grammar/types.ts';
import { isCritical, resolveUses } from '../shell/judge/uses.ts';
import { readScript, type ShellAccess } from '../shell/walk/script.ts';
import { splitPath } from '../workspace/paths.ts';
import { isPrivateHost } from './decide.ts';

/**
 * How much harm a call could do, judging by its text. Shown beside the reason for asking, which it does not repeat; it
 * decides nothing.
 */
export function assessRisk(call: Call, decision: Decision): Risk {
  const found = call.accesses.flatMap((access) => findSigns(access, call));
  if (decision.by === 'protected-path') found.push(high(decision.reason));
  if (call.input?.dangerouslyDisableSandbox === true) found.push(medium('it runs outside the sandbox'));
  if (call.tool.startsWith('mcp__')) found.push(medium('it is a tool from an MCP server'));
  const sorted = (['high', 'medium', 'low'] as const).flatMap((level) =>
    found.filter((sign) => sign.level === level),
  );
  const reasons = new Set(sorted.map((sign) => sign.reason));
  return {
    level: sorted[0]?.level ?? 'low',
    reasons: [...reasons].filter((reason) => !decision.reason.includes(reason)),
  };
}

interface Sign {
  level: RiskLevel;
  reason: string;
}

const high = (reason: string): Sign => ({ level: 'high', reason });
const medium = (reason: string): Sign => ({ level: 'medium', reason });

function findSigns(access: Access, { workspace }: Call): Sign[] {
  switch (access.kind) {
    case 'read':
      return readSigns(access.path, workspace);
    case 'write':
      return writeSigns(access.path, workspace);
    case 'shell':
      return shellSigns(access, workspace);
    case 'network':
      return isPrivateHost(parseHost(access.url)?.name ?? '')
        ? [high('it contacts this machine or a private network')]
        : [medium('it uses the network')];
    default:
      return [];
  }
}

function readSigns(path: string, workspace: CallWorkspace): Sign[] {
  if (
    /^(?:\.ssh|\.gnupg|\.aws|\.netrc|\.env.*|.*credentials.*|id_[a-z\d]+)$/i.test(
      nameLastPart(path, secretDepth),
    )
  )
    return [high(`${path} may hold credentials`)];
  return isOutside(path, workspace) ? [medium(`${path} is outside the workspace`)] : [];
}

function writeSigns(path: string, workspace: CallWorkspace): Sign[] {
  const protection = findProtection(resolvePath(path, workspace), workspace);
  if (protection) return [high(protection)];
  return isOutside(path, workspace) ? [high(`it writes ${path}, outside the workspace`)] : [];
}

function shellSigns(access: ShellAccess, workspace: CallWorkspace): Sign[] {
  const { parsed, all } = readScript(access, workspace);
  const signs: Sign[] = parsed.isUnread ? [high('part of it cannot be parsed')] : [];
  for (const { command, effect, redirects } of all) {
    signs.push(...programSigns(command.words.map(readLiteral)));
    for (const use of [...redirects, ...(effect.known ? effect.uses : [])])
      for (const place of listKnown(resolveUses(use, command.directories, workspace))) {
        if (isCritical(place, workspace)) {
          signs.push(high(`it removes ${place.path}`));
          continue;
        }
        if (place.kind === 'remove') signs.push(medium('it deletes files'));
        if (place.kind === 'write' || place.kind === 'remove')
          signs.push(...writeSigns(place.path, workspace));
        if (place.kind === 'read') signs.push(...readSigns(place.path, workspace));
      }
  }
  const has = (reason: string) => signs.some((sign) => sign.reason === reason);
  return has(networked) && has(interpreted) ? [high('it may run code from the network'), ...signs] : signs;
}

function programSigns(words: readonly (string | undefined)[]): Sign[] {
  const [first] = words;
  if (first === undefined) return [medium('the program to run is computed')];
  const program = first.slice(first.lastIndexOf('/') + 1);
  const sign = programs.find(({ names }) => names.has(program));
  if (sign) return [{ level: sign.level, reason: sign.reason }];
  return program === 'git' ? gitSigns(words.slice(1)) : [];
}

/** Irreversible actions come first. A computed word may be any option. */
function gitSigns(words: readonly (string | undefined)[]): Sign[] {
  const at = words.findIndex(
    (word, index) => !/^-/.test(word ?? '') && !/^-[Cc]$/.test(words[index - 1] ?? ''),
  );
  const [name, ...rest] = at < 0 ? [] : words.slice(at);
  const has = (pattern: RegExp) => rest.some((word) => pattern.test(word ?? ''));
  if (name === 'push' && has(/^(?:--force.*|--mirror|--prune|--delete|-[a-z]*[fd][a-z]*|\+.*|:.+)$/))
    return [high('it overwrites or deletes remote branches'), medium(networked)];
  if (name === 'reset' && has(/^--hard$/)) return [high('it discards uncommitted changes')];
  if (name === 'clean' && has(/^(?:--force|-[a-z]*f[a-z]*)$/)) return [high('it deletes untracked files')];
  return /^(?:push|pull|fetch|clone|remote|submodule)$/.test(name ?? '') ? [medium(networked)] : [];
}

const networked = 'it uses the network';
const interpreted = 'it runs a script or code given on the command line';

const programs: readonly { names: ReadonlySet<string>; level: RiskLevel; reason: string }[] = [
  { names: new Set(['sudo', 'doas', 'su', 'pkexec']), level: 'high', reason: 'it gains privileges' },
  { names: new Set(['dd', 'mkfs', 'shred', 'fdisk']), level: 'high', reason: 'it overwrites data' },
  { names: new Set(['rm', 'rmdir', 'unlink', 'truncate']), level: 'medium', reason: 'it deletes files' },
  {
    names: new Set(['curl', 'wget', 'ssh', 'scp', 'sftp', 'rsync', 'nc', 'ncat', 'telnet', 'ftp', 'socat']),
    level: 'medium',
    reason: networked,
  },
  {
    names: new Set(['npm', 'npx', 'pnpm', 'yarn', 'bunx', 'pip', 'pip3', 'uvx', 'cargo', 'gem', 'go']),
    level: 'medium',
    reason: 'it may fetch and run packages',
  },
  {
    names: new Set(
      'sh bash zsh dash ksh fish eval source . python python3 node deno bun ruby perl php lua make'.split(
        ' ',
      ),
    ),
    level: 'medium',
    reason: interpreted,
  },
  { names: new Set(['kill', 'pkill', 'killall']), level: 'medium', reason: 'it kills processes' },
  { names: new Set(['chmod', 'chown']), level: 'medium', reason: 'it changes permissions or owners' },
];

/** Secrets are in a directory of that name, or in a file. */
const secretDepth = 2;

function nameLastPart(path: string, depth: number): string {
  const parts = splitPath(path).slice(-depth);
  return parts.find((part) => /^\.(?:ssh|gnupg|aws)$/i.test(part)) ?? parts.at(-1) ?? '';
}

function isOutside(path: string, workspace: CallWorkspace): boolean {
  return !isInside(resolvePath(path, workspace), [workspace.cwd, ...workspace.directories], workspace);
}
