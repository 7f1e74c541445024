import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { ok, type Result, usage } from '../../lib/result.ts';

export interface WantedPackage {
  /** For npm; a path is absolute. */
  spec: string;
  name: string;
}

/**
 * The user's request in npm's form: a name in the registry with a version, or a directory or tarball on this machine.
 * Addresses of git and the web are refused: their content can change unseen.
 */
export function parsePackageSpec(spec: string, cwd: string): Result<WantedPackage> {
  const [, name, version] = registryName.exec(spec) ?? [];
  if (name) return ok({ spec: version ? `${name}@${version}` : name, name });
  if (!/^(\.{0,2}\/|file:)/.test(spec))
    return usage(
      `'${spec}' is not the name of an npm package.`,
      'Expected something like @ai-sdk/mistral or @ai-sdk/mistral@4.0.0.',
    );
  const path = resolve(cwd, spec.replace(/^file:/, ''));
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found)
    return usage(`No package at ${path}.`, 'Expected a directory, a tarball, or the name of a package.');
  return found.isDirectory() ? localDirectory(path) : localTarball(path);
}

const registryName =
  /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([\^~<>=]*[a-zA-Z0-9][a-zA-Z0-9.+-]*))?$/;

/** The provider's name in a package's: `@ai-sdk/mistral`, `@openrouter/ai-sdk-provider`, `zhipu-ai-provider`. */
export function deriveProviderName(packageName: string): string {
  const [scope = '', name = scope] = packageName.replace(/^@/, '').split('/');
  const own = name.replace(/^ai-sdk-?/, '').replace(/-?(ai-sdk-)?(ai-)?provider$/, '');
  return (own || scope).replace(/[._~]/g, '-');
}

function localDirectory(path: string): Result<WantedPackage> {
  const name = readManifest(path)?.name;
  if (typeof name === 'string' && registryName.test(name)) return ok({ spec: path, name });
  return usage(
    `${path} is not a package: its package.json has no name.`,
    'Give the directory of an npm package.',
  );
}

/** The `package.json` of a package; undefined if it cannot be read. */
export function readManifest(directory: string): { name?: unknown; version?: unknown } | undefined {
  const value = parseJson(readBoundedText(join(directory, 'package.json'), maxManifest) ?? '');
  return typeof value === 'object' && value !== null ? value : undefined;
}

const maxManifest = 1024 * 1024;

/** Its name is inside, and we open no archives. */
function localTarball(path: string): Result<WantedPackage> {
  return usage(
    `${basename(path)} is a file; expected the directory of the package.`,
    'Unpack it first: tar xzf FILE creates a directory called package.',
  );
}
