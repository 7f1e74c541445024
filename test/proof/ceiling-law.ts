import { isAbsolute, join, relative } from 'node:path';
import type { PermissionMode } from '../../src/protocol/index.ts';

/** What the user has set for one tree of agents. */
export interface Law {
  cwd: string;
  deny: readonly string[];
  /** The flag `--tools`; undefined is all. */
  tools?: readonly string[];
  allow: readonly string[];
  allowBypass: boolean;
  /** The setting `agents.permissionMode`. */
  edits: 'default' | 'acceptEdits';
  maxDepth: number;
  definitions: Readonly<Record<string, Definition>>;
}

export interface Definition {
  /** Undefined is all. */
  tools?: string[];
  mode?: PermissionMode;
  isProjects: boolean;
}

/** An agent as it stands when it acts: its type, and those above it up to the lead, nearest first. */
export interface Actor {
  type: string;
  isFork: boolean;
  above: readonly string[];
}

export interface Deed {
  tool: string;
  input: Readonly<Record<string, unknown>>;
  actor: Actor;
  /** The lead's mode when it was judged; both, where it changed meanwhile. */
  modes: readonly PermissionMode[];
  /** The user was asked about this very call, and allowed it. */
  wasAllowed: boolean;
}

const readOnlyTypes = ['Explore', 'Plan'];
const harmless = ['ls', 'echo hi', 'cat kept.txt'];

/**
 * Why this must never have run, in the plainest words and apart from the engine; undefined where it may. It says less
 * than the engine: what is merely asked about is not its affair, unless nobody was asked.
 */
export function refusalOf(law: Law, deed: Deed): string | undefined {
  const refusals = deed.modes.map((mode) => refusalIn(law, deed, mode));
  return refusals.every((reason) => reason !== undefined) ? refusals[0] : undefined;
}

function refusalIn(law: Law, deed: Deed, mode: PermissionMode): string | undefined {
  const { tool, actor } = deed;
  const isOwnTask = law.tools?.includes('Bash') && ['TaskOutput', 'TaskStop'].includes(tool);
  if (law.tools && !law.tools.includes(tool) && !isOwnTask) return `the session was started without ${tool}`;
  if (law.deny.includes(tool)) return `${tool} is denied to everybody`;
  const role = lackOf(law, tool, actor);
  if (role) return role;
  const isPlan = mode === 'plan' || [actor.type, ...actor.above].some((type) => modeOf(law, type) === 'plan');
  if (tool === 'Bash') return refusalOfCommand(law, deed, isPlan);
  return tool === 'Write' ? refusalOfWrite(law, deed, mode, isPlan) : undefined;
}

/** A fork has the role of the agent that it is a fork of. */
function lackOf(law: Law, tool: string, { type, isFork, above }: Actor): string | undefined {
  const own = isFork ? above[0] : type;
  if (own === undefined) return undefined;
  if (isFork && tool === 'Agent') return 'a fork starts nobody';
  if (readOnlyTypes.includes(own) && tool === 'Write') return `${own} does not write`;
  const tools = law.definitions[own]?.tools;
  const isGiven = tools === undefined || tools.includes(tool) || ['TaskOutput', 'TaskStop'].includes(tool);
  return isGiven ? undefined : `${own} does not have ${tool}`;
}

function refusalOfCommand(law: Law, { input, actor, wasAllowed }: Deed, isPlan: boolean): string | undefined {
  const command = String(input.command);
  if (/\brm\b/.test(command) && law.deny.includes('Bash(rm:*)')) return 'rm is denied to everybody';
  if (harmless.includes(command)) return undefined;
  const role = actor.isFork ? actor.above[0] : actor.type;
  if (role !== undefined && readOnlyTypes.includes(role)) return `${role} changes nothing`;
  return isPlan && !wasAllowed ? 'plan mode runs nothing unasked that changes something' : undefined;
}

function refusalOfWrite(law: Law, { input, actor, wasAllowed }: Deed, mode: PermissionMode, isPlan: boolean) {
  const given = String(input.file_path);
  const path = isAbsolute(given) ? given : join(law.cwd, given);
  const inside = relative(law.cwd, path);
  if (inside.startsWith('secret/') && law.deny.includes('Edit(secret/**)'))
    return 'secrets are denied to everybody';
  if (isPlan) return 'plan mode writes nothing';
  if (wasAllowed) return undefined;
  const modes = [mode, ...[actor.type, ...actor.above].map((type) => widening(law, type))];
  if (modes.includes('bypassPermissions')) return undefined;
  if (inside.startsWith('.git/')) return 'a protected path that nobody was asked about';
  if (inside.startsWith('..') && !law.allow.includes('Write'))
    return 'a file outside the workspace that nobody was asked about';
  if (modeOf(law, actor.type) === 'dontAsk' && !isAllowed(law, inside)) return 'it was to ask nobody';
  const mayEdit = modes.includes('acceptEdits') || law.edits === 'acceptEdits' || isAllowed(law, inside);
  return mayEdit ? undefined : 'a write that nobody was asked about';
}

function isAllowed({ allow }: Law, inside: string): boolean {
  return allow.includes('Write') || (allow.includes('Edit(ok.txt)') && inside === 'ok.txt');
}

function modeOf({ definitions }: Law, type: string): PermissionMode | undefined {
  return definitions[type]?.mode;
}

/** The mode that a definition may give beyond its parent's. */
function widening({ definitions, allowBypass }: Law, type: string): PermissionMode | undefined {
  const definition = definitions[type];
  if (!definition || definition.isProjects) return undefined;
  return definition.mode === 'bypassPermissions' && !allowBypass ? undefined : definition.mode;
}
