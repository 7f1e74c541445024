import { isBuiltin } from 'node:module';
import { dirname } from 'node:path';
import { findPackageFile } from './package-entry.ts';
import { formatError, ok, type Result, usage } from './result.ts';

/**
 * A module with all its imports, as one string. The compiled program deliberately finds no packages by name at run time, so a
 * module it loads must be self-contained. On Node, which has no bundler, undefined: there the module is loaded where it is.
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
    // A missing optional package is resolved only when the code reaches it.
    return file ? { path: file } : { path, external: true };
  });
}

function formatReason(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return formatError(first);
}
