import { resolve } from 'node:path';
import type { PermissionMode, Rule } from '../protocol/permission.ts';
import type { AgentsSettings, HeldSetting, LoadedSettings } from './loaded.ts';
import { mergeHooks } from './merge-hooks.ts';
import { mergeMcp } from './merge-mcp.ts';
import { mergeSandbox } from './merge-sandbox.ts';
import { mergeWorktree } from './merge-worktree.ts';
import type { SettingsOptions, SettingsPlace } from './places.ts';
import { noSandboxSettings } from './sandbox.ts';
import type { SettingsFileContent } from './schema.ts';

export interface SettingsLayerContent {
  place: SettingsPlace;
  content: SettingsFileContent;
  rules: readonly Rule[];
  /** Of a repository and not trusted: only what narrows counts. */
  held?: Held;
}

/** What is to be said about a file that is held. */
export type Held = Pick<HeldSetting, 'changed' | 'leadsTo'>;

/**
 * Highest layer first. Single values: the highest wins. Lists are joined. What comes from a repository that is
 * not trusted takes effect only where it narrows what may happen; the rest is held, and said so.
 */
export function mergeLayers(
  layers: readonly SettingsLayerContent[],
  options: SettingsOptions,
): LoadedSettings {
  const loaded = noSettings();
  for (const { place, content, rules, held: reason } of layers) {
    const held = reason !== undefined;
    const before = loaded.held.length;
    mergePermissions(loaded, place, content, rules, held, options);
    mergeValues(loaded, place, content, held, options);
    mergeHooks(loaded, place, content, reason);
    mergeSandbox(loaded, place, content, held, options);
    mergeAutoMode(loaded, place, content);
    mergeWorktree(loaded, place, content, held);
    mergeMcp(loaded, place, content, held);
    for (const entry of loaded.held.slice(before)) explainHold(entry, reason);
    loaded.unheeded.push(...unheededKeys(content).map((key) => ({ file: place.file, key })));
    if (place.text === undefined) loaded.files.push(place.file);
  }
  return loaded;
}

function explainHold(entry: HeldSetting, reason: Held | undefined): void {
  if (entry.liftedBy === 'trust') Object.assign(entry, reason);
  if (entry.leadsTo !== undefined) entry.liftedBy = 'nothing';
}

export function noSettings(): LoadedSettings {
  return {
    rules: [],
    additionalDirectories: [],
    bypassDisabled: false,
    autoDisabled: false,
    env: {},
    environmentAllow: [],
    claudeMdExcludes: [],
    modelAliases: {},
    modelPricing: {},
    sandbox: noSandboxSettings(),
    agents: {},
    worktree: { copyDirectories: [], symlinkDirectories: [] },
    hooks: [],
    managedHooksOnly: false,
    mcp: { servers: [], disabled: [], denied: [] },
    origin: new Map(),
    held: [],
    unheeded: [],
    files: [],
  };
}

/** Other keys that we do not know are left alone in silence; here stand guards, and a guard that does not act must be known. */
const permissionKeys = [
  'allow',
  'ask',
  'deny',
  'defaultMode',
  'additionalDirectories',
  'disableBypassPermissionsMode',
  'disableAutoMode',
  'questionTimeoutSeconds',
];

/** Here stand limits, which are guards too. */
const agentKeys: Record<keyof AgentsSettings, true> = {
  fork: true,
  maxDepth: true,
  maxConcurrent: true,
  maxTotal: true,
  autoBackground: true,
  background: true,
  permissionMode: true,
  handoffCheck: true,
  maxTurns: true,
  timeoutSeconds: true,
  idleSeconds: true,
  maxTokens: true,
  maxBudgetUsd: true,
  askAboveAgents: true,
  askAboveUsd: true,
  giveBack: true,
  model: true,
};

function unheededKeys(content: SettingsFileContent): string[] {
  const unknown = Object.keys(content.permissions ?? {}).filter((key) => !permissionKeys.includes(key));
  const ofAgents = Object.keys(content.agents ?? {}).filter((key) => !Object.hasOwn(agentKeys, key));
  return [...unknown.map((key) => `permissions.${key}`), ...ofAgents.map((key) => `agents.${key}`)];
}

function mergePermissions(
  loaded: LoadedSettings,
  place: SettingsPlace,
  content: SettingsFileContent,
  rules: readonly Rule[],
  held: boolean,
  options: SettingsOptions,
): void {
  const { permissions } = content;
  if (!permissions) return;
  const hold = (key: string, liftedBy: 'trust' | 'nothing' = 'trust') =>
    loaded.held.push({ file: place.file, key: `permissions.${key}`, liftedBy });
  const origin = { layer: place.layer, file: place.file };

  loaded.rules.push(...rules.filter((rule) => !held || rule.behaviour !== 'allow'));
  if (held && permissions.allow?.length) hold('allow');

  const mode = permissions.defaultMode;
  if (mode && place.fromRepository && neverFromRepository.has(mode)) hold('defaultMode', 'nothing');
  else if (mode && held && mode !== 'plan') hold('defaultMode');
  else if (mode && !loaded.defaultMode) {
    loaded.defaultMode = mode;
    loaded.origin.set('permissions.defaultMode', origin);
  }

  const directories = permissions.additionalDirectories ?? [];
  if (held && directories.length > 0) hold('additionalDirectories');
  else {
    for (const written of directories) {
      const directory = resolveDirectory(written, place, options);
      if (loaded.additionalDirectories.includes(directory)) continue;
      loaded.additionalDirectories.push(directory);
      loaded.origin.set(`permissions.additionalDirectories.${directory}`, origin);
    }
  }

  // Once said by anybody it holds: no layer takes it back.
  if (permissions.disableBypassPermissionsMode && !loaded.bypassDisabled) {
    loaded.bypassDisabled = true;
    loaded.origin.set('permissions.disableBypassPermissionsMode', origin);
  }
  if (permissions.disableAutoMode && !loaded.autoDisabled) {
    loaded.autoDisabled = true;
    loaded.origin.set('permissions.disableAutoMode', origin);
  }

  const timeout = permissions.questionTimeoutSeconds;
  if (timeout !== undefined && held) hold('questionTimeoutSeconds');
  else if (timeout !== undefined && loaded.questionTimeoutSeconds === undefined) {
    loaded.questionTimeoutSeconds = timeout;
    loaded.origin.set('permissions.questionTimeoutSeconds', origin);
  }
}

/** Who judges in the user's place is the user's to say. */
function mergeAutoMode(loaded: LoadedSettings, place: SettingsPlace, content: SettingsFileContent): void {
  const model = content.autoMode?.model;
  if (model === undefined) return;
  if (place.fromRepository)
    loaded.held.push({ file: place.file, key: 'autoMode.model', liftedBy: 'nothing' });
  else if (loaded.autoModel === undefined) {
    loaded.autoModel = model;
    loaded.origin.set('autoMode.model', { layer: place.layer, file: place.file });
  }
}

/** Modes in which nobody is asked are the user's to choose, whatever a repository says. */
const neverFromRepository: ReadonlySet<PermissionMode> = new Set(['auto', 'bypassPermissions']);

function resolveDirectory(written: string, place: SettingsPlace, options: SettingsOptions): string {
  if (written === '~') return options.userHome;
  if (written.startsWith('~/')) return resolve(options.userHome, written.slice(2));
  return resolve(place.layer === 'managed' ? options.cwd : place.base, written);
}

const singleValues = [
  'model',
  'fallbackModel',
  'cleanupPeriodDays',
  'bashOutputMaxChars',
  'maxTurns',
  'maxBudgetUsd',
  'maxTokens',
  'autoCompactEnabled',
  'autoCompactWindow',
  'dream',
  'coordinator',
  'scratchpad',
  'plansDirectory',
  'terminal',
  'statusLine',
] as const;

function mergeValues(
  loaded: LoadedSettings,
  place: SettingsPlace,
  content: SettingsFileContent,
  held: boolean,
  options: SettingsOptions,
): void {
  const origin = { layer: place.layer, file: place.file };
  const take = <Key extends (typeof singleValues)[number]>(key: Key) => {
    if (content[key] === undefined || loaded[key] !== undefined) return;
    loaded[key] = content[key] as LoadedSettings[Key];
    loaded.origin.set(key, origin);
  };
  if (held) {
    const present = [...singleValues, ...maps, 'claudeMdExcludes' as const, 'agents' as const].filter((key) =>
      isGiven(content[key]),
    );
    const keys = [...present, ...(content.environment?.allow?.length ? ['environment.allow'] : [])];
    loaded.held.push(...keys.map((key) => ({ file: place.file, key, liftedBy: 'trust' as const })));
    return;
  }
  const hadPlans = loaded.plansDirectory !== undefined;
  for (const key of singleValues) take(key);
  if (!hadPlans && loaded.plansDirectory !== undefined)
    loaded.plansDirectory = resolveDirectory(loaded.plansDirectory, place, options);
  for (const key of maps) {
    for (const [name, value] of Object.entries(content[key] ?? {})) {
      if (Object.hasOwn(loaded[key], name)) continue;
      // Not an assignment: a key named __proto__ must stay a key.
      const entry = typeof value === 'object' ? value : String(value);
      Object.defineProperty(loaded[key], name, { value: entry, enumerable: true, writable: true });
      loaded.origin.set(`${key}.${name}`, origin);
    }
  }
  for (const [name, value] of Object.entries(content.agents ?? {})) {
    if (Object.hasOwn(loaded.agents, name)) continue;
    // Trusted or not: a repository does not hand out tools that its own agents were denied.
    if (name === 'giveBack' && place.fromRepository) continue;
    Object.defineProperty(loaded.agents, name, { value, enumerable: true, writable: true });
    loaded.origin.set(`agents.${name}`, origin);
  }
  loaded.claudeMdExcludes.push(...(content.claudeMdExcludes ?? []));
  loaded.environmentAllow.push(...(content.environment?.allow ?? []));
}

const maps = ['env', 'modelAliases', 'modelPricing'] as const;

function isGiven(value: unknown): boolean {
  return (
    value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}
