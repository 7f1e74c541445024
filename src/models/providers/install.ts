import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleModule } from '../../lib/bundle.ts';
import type { Clock } from '../../lib/clock.ts';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { findPackageFile } from '../../lib/package-entry.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { findOwnProgram } from '../../workspace/search-path.ts';
import { importFile, makeModel } from './added-provider.ts';
import { type AddedProvider, type ProviderDirectory, providerNamePattern } from './directory.ts';
import { deriveProviderName, parsePackageSpec, readManifest } from './package.ts';
import { formatVariableName, isBuiltIn } from './providers.ts';

export interface InstallRequest {
  /** A package's name, with an optional version, or a path to a directory or a tarball. */
  spec: string;
  name?: string;
  /** Where the key is looked for; null when the package finds its own. */
  keyVariable?: string | null;
}

/** The environment of this process. */
export interface InstallSurroundings {
  environment: Readonly<Record<string, string>>;
  /** Relative paths start here. */
  cwd: string;
  clock: Clock;
  signal?: AbortSignal;
}

/**
 * Installs an AI SDK package into our own directory, without running any of its scripts, tries it, and keeps it under a
 * name. A package that cannot be used is not kept.
 */
export async function addProvider(
  directory: ProviderDirectory,
  request: InstallRequest,
  around: InstallSurroundings,
): Promise<Result<AddedProvider>> {
  const wanted = parsePackageSpec(request.spec, around.cwd);
  if (!wanted.ok) return wanted;
  const name = chooseName(request, wanted.value.name);
  if (!name.ok) return name;
  const prepared = prepareProject(directory.path);
  if (!prepared.ok) return prepared;
  const before = directory.list();
  if (!before.ok) return before;
  const installed = await npm(
    ['install', ...quiet, '--install-links', '--', wanted.value.spec],
    directory.path,
    around,
  );
  if (!installed.ok) return installed;
  const kept = await keepPackage(directory, name.value, wanted.value.name, request);
  if (kept.ok) return kept;
  const isShared = before.value.some((provider) => provider.package === wanted.value.name);
  if (!isShared) await npm(['uninstall', ...quiet, '--', wanted.value.name], directory.path, around);
  return kept;
}

/** False when there was none of that name. */
export async function removeProvider(
  directory: ProviderDirectory,
  name: string,
  around: InstallSurroundings,
): Promise<Result<boolean>> {
  const known = directory.list();
  if (!known.ok) return known;
  const gone = known.value.find((provider) => provider.name === name);
  const forgotten = directory.forget(name);
  if (!forgotten.ok || !gone) return forgotten;
  rmSync(join(directory.path, bundleFile(name)), { force: true });
  const isShared = known.value.some((other) => other !== gone && other.package === gone.package);
  if (isShared) return ok(true);
  const removed = await npm(['uninstall', ...quiet, '--', gone.package], directory.path, around);
  return removed.ok ? ok(true) : removed;
}

function chooseName(request: InstallRequest, packageName: string): Result<string> {
  const name = request.name ?? deriveProviderName(packageName);
  if (!providerNamePattern.test(name))
    return usage(
      `'${name}' is not a valid provider name.`,
      'Use lower-case letters, digits and dashes: --name mistral',
    );
  if (isBuiltIn(name))
    return usage(`The name '${name}' belongs to a built-in provider.`, `Choose another: --name my-${name}`);
  return ok(name);
}

/** A separate project, so that npm looks no further up. */
function prepareProject(path: string): Result<void> {
  const directory = ensurePrivateDirectory(path);
  if (!directory.ok) return directory;
  const file = join(path, 'package.json');
  if (existsSync(file)) return ok(undefined);
  return writeAtomic(file, `${JSON.stringify({ name: 'cadre-providers', private: true }, null, 2)}\n`);
}

async function keepPackage(
  directory: ProviderDirectory,
  name: string,
  packageName: string,
  request: InstallRequest,
): Promise<Result<AddedProvider>> {
  const entry = findPackageFile(packageName, directory.path, directory.path);
  if (!entry)
    return usage(`The package ${packageName} has no module to import.`, 'Is it an AI SDK provider?');
  const bundle = await bundleModule(entry, directory.path);
  if (!bundle.ok) return bundle;
  const file = bundle.value === undefined ? relative(directory.path, entry) : bundleFile(name);
  if (bundle.value !== undefined) {
    const written = writeBundle(join(directory.path, file), join(directory.path, 'bundles'), bundle.value);
    if (!written.ok) return written;
  }
  const factory = await findFactory(join(directory.path, file), name, packageName);
  if (!factory.ok) {
    if (bundle.value !== undefined) rmSync(join(directory.path, file), { force: true });
    return factory;
  }
  const { keyVariable = formatVariableName(name, 'API_KEY') } = request;
  const version = readVersion(join(directory.path, 'node_modules', packageName));
  const provider = { name, package: packageName, version, factory: factory.value, keyVariable, file };
  const saved = directory.save(provider);
  return saved.ok ? ok(provider) : saved;
}

function bundleFile(name: string): string {
  return join('bundles', `${name}.mjs`);
}

function writeBundle(path: string, directory: string, text: string): Result<void> {
  const made = ensurePrivateDirectory(directory);
  return made.ok ? writeAtomic(path, text, 0o600) : made;
}

/** The first `create…` that makes a model we support; one that is named after the provider goes first. */
async function findFactory(path: string, name: string, packageName: string): Promise<Result<string>> {
  const module = await importFile(path, packageName);
  if (!module.ok) return module;
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  const factories = Object.keys(module.value)
    .filter((key) => /^create[A-Z]/.test(key) && typeof module.value[key] === 'function')
    .sort(
      (a, b) => Number(plain(b) === plain(`create${name}`)) - Number(plain(a) === plain(`create${name}`)),
    );
  let refused: Result<never> = usage(
    `The package ${packageName} has no create… function, which every AI SDK provider exports.`,
    'Is it an AI SDK provider?',
  );
  for (const factory of factories) {
    const settings = { name, apiKey: 'none', baseURL: 'http://127.0.0.1:9', includeUsage: true as const };
    const made = makeModel(module.value, factory, packageName, 'any', settings);
    if (made.ok) return ok(factory);
    refused = made;
  }
  return refused;
}

function readVersion(directory: string): string {
  const version = readManifest(directory)?.version;
  return typeof version === 'string' ? version : '';
}

const quiet = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--save-exact',
  '--omit=dev',
  '--loglevel=error',
];
const patienceMs = 5 * 60_000;
const shownOutput = 2_000;

async function npm(args: string[], cwd: string, around: InstallSurroundings): Promise<Result<void>> {
  const program = findOwnProgram('npm', around.environment, around.cwd);
  if (!program)
    return usage(
      'npm was not found. It is needed to install providers.',
      'Install Node.js, which includes npm.',
    );
  let output = '';
  const child = spawnOwned({
    file: program.file,
    args,
    cwd,
    env: { ...around.environment, PATH: program.path },
    owner: 'providers',
    clock: around.clock,
    timeoutMs: patienceMs,
    signal: around.signal,
    output: (chunk) => {
      output = (output + Buffer.from(chunk).toString('utf8')).slice(-shownOutput);
    },
  });
  const end = await child.ended;
  if (end.code === 0) return ok(undefined);
  const why = end.problem ?? (end.timedOut ? 'it took longer than five minutes' : output.trim());
  return failure(`npm failed in ${cwd}: ${why}`, 'Check the name, the version and the network.');
}
