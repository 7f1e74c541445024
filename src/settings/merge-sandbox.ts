import { resolve } from 'node:path';
import type { Rule } from '../protocol/permission.ts';
import type { LoadedSettings } from './loaded.ts';
import type { SettingsOptions, SettingsPlace } from './places.ts';
import type { SettingsFileContent } from './schema.ts';

type Content = NonNullable<SettingsFileContent['sandbox']>;

/** One layer of it, highest first. Until a repository is trusted it can only make the sandbox tighter. */
export function mergeSandbox(
  loaded: LoadedSettings,
  place: SettingsPlace,
  content: SettingsFileContent,
  held: boolean,
  options: SettingsOptions,
): void {
  const { sandbox } = content;
  if (!sandbox) return;
  const { network = {}, filesystem = {} } = sandbox;
  const into = loaded.sandbox;
  const note = (key: string) => {
    loaded.origin.set(`sandbox.${key}`, { layer: place.layer, file: place.file });
  };
  const hold = (key: string) =>
    loaded.held.push({ file: place.file, key: `sandbox.${key}`, liftedBy: 'trust' });
  /** `tight` is the value that only narrows. */
  const single = <Target extends object, Key extends keyof Target & string>(
    target: Target,
    value: Target[Key] | undefined,
    key: Key,
    tight?: boolean,
  ) => {
    if (value === undefined) return;
    if (held && value !== tight) hold(key);
    else if (target[key] === undefined) {
      target[key] = value;
      note(key);
    }
  };
  const list = (target: string[], values: readonly string[] | undefined, key: string, narrows = false) => {
    if (!values?.length) return;
    if (held && !narrows) hold(key);
    else target.push(...values);
  };
  single(into, sandbox.enabled, 'enabled', true);
  single(into, sandbox.failIfUnavailable, 'failIfUnavailable', true);
  single(into, sandbox.autoAllowBashIfSandboxed, 'autoAllowBashIfSandboxed', false);
  single(into, sandbox.allowUnsandboxedCommands, 'allowUnsandboxedCommands', false);
  single(into, sandbox.bwrapPath, 'bwrapPath');
  single(into, sandbox.socatPath, 'socatPath');
  single(into.network, network.allowAllUnixSockets, 'allowAllUnixSockets', false);
  single(into.network, network.allowLocalBinding, 'allowLocalBinding', false);
  list(into.excludedCommands, sandbox.excludedCommands, 'excludedCommands');
  list(into.network.allowedDomains, network.allowedDomains, 'network.allowedDomains');
  list(into.network.deniedDomains, network.deniedDomains, 'network.deniedDomains', true);
  const paths = (values: readonly string[] | undefined) =>
    values?.filter((value) => !isPattern(value)).map((value) => resolvePath(value, place, options));
  list(into.filesystem.allowWrite, paths(filesystem.allowWrite), 'filesystem.allowWrite');
  list(into.filesystem.allowRead, paths(filesystem.allowRead), 'filesystem.allowRead');
  into.filesystem.denied.push(
    ...denials(filesystem.denyRead, 'Read', place, options),
    ...denials(filesystem.denyWrite, 'Edit', place, options),
  );
  loaded.unheeded.push(...unheeded(sandbox).map((key) => ({ file: place.file, key: `sandbox.${key}` })));
}

const known = {
  sandbox: [
    'enabled',
    'failIfUnavailable',
    'autoAllowBashIfSandboxed',
    'allowUnsandboxedCommands',
    'excludedCommands',
    'network',
    'filesystem',
    'bwrapPath',
    'socatPath',
  ],
  network: ['allowedDomains', 'deniedDomains', 'allowAllUnixSockets', 'allowLocalBinding'],
  filesystem: ['allowWrite', 'denyWrite', 'denyRead', 'allowRead'],
};

/** What would loosen stays closed, what would tighten does not hold: both must be known. */
function unheeded({ network = {}, filesystem = {}, ...sandbox }: Content): string[] {
  const others = (given: object, names: readonly string[], prefix = '') =>
    Object.entries(given)
      .filter(([key, value]) => !names.includes(key) && value !== false)
      .map(([key]) => prefix + key);
  const patterns = (['allowWrite', 'allowRead'] as const).filter((key) => filesystem[key]?.some(isPattern));
  return [
    ...others(sandbox, known.sandbox),
    ...others(network, known.network, 'network.'),
    ...others(filesystem, known.filesystem, 'filesystem.'),
    ...patterns.map((key) => `filesystem.${key} with patterns`),
  ];
}

function denials(
  values: readonly string[] | undefined,
  tool: 'Read' | 'Edit',
  place: SettingsPlace,
  options: SettingsOptions,
): Rule[] {
  const { layer, file: source, base } = place;
  return (values ?? []).map((value) => {
    // Without a slash a name counts wherever it stands, as in rules.
    const specifier = value.includes('/') ? `/${resolvePath(value, place, options)}` : value;
    return { behaviour: 'deny', tool, specifier, layer, source, base };
  });
}

function isPattern(path: string): boolean {
  return /[*?[\]]/.test(path);
}

/** `/absolute`, also written `//absolute`; `~/`; anything else from the directory that the file speaks for. */
function resolvePath(written: string, place: SettingsPlace, { userHome, cwd }: SettingsOptions): string {
  if (written === '~' || written.startsWith('~/')) return resolve(userHome, written.slice(2));
  return resolve(place.layer === 'managed' ? cwd : place.base, written.replace(/^\/\//, '/'));
}
