import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { findPackageFile } from './package-entry.ts';
import { formatError, ok, type Result, usage } from './result.ts';

/**
 * A module with all that it imports, as one text. The compiled program finds no packages by name at run time, on
 * purpose, so what it is to load must stand alone. On Node, which has no bundler, undefined: there the module is
 * loaded where it is.
 */
export async function bundleModule(entry: string, root: string): Promise<Result<string | undefined>> {
  if (typeof Bun === 'undefined') return ok(undefined);
  try {
    const built = await Bun.build({
      entrypoints: [entry],
      target: 'node',
      format: 'esm',
      plugins: [{ name: 'packages below a root', setup: (build) => resolveBelow(root, build) }],
    });
    return ok(await built.outputs[0]?.text());
  } catch (error) {
    return usage(
      `${entry} cannot be loaded: ${formatReason(error)}`,
      'A package that it needs is missing or broken.',
    );
  }
}

function resolveBelow(root: string, build: Bun.PluginBuilder): void {
  build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
    if (isBuiltin(path) || importer === '') return undefined;
    const loading = kind === 'require-call' || kind === 'require-resolve' ? 'require' : 'import';
    const file = findPackageFile(path, dirname(importer), root, loading);
    // An optional package that is not there is looked for when, and if, the code comes to it.
    return file ? { path: file } : { path, external: true };
  });
}

function formatReason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return formatError(first);
}
