import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `nobody` on every system that tests run on. */
export const nobody = 65534;

/**
 * Runs a script's default export as somebody without rights, since CI is root and root may do everything.
 * The script's modules are loaded first (the checkout may be closed to others), then the process drops to
 * `nobody` and calls `default(args, directory)` in a fresh directory of its own. What that returns, as JSON,
 * is returned here; a throw in it is thrown here. When the tests do not run as root it is just run.
 *
 * The script is a path, or `{ code }`, a module's text whose imports are absolute.
 */
export async function runUnprivileged<T>(
  script: string | { code: string },
  args: readonly unknown[] = [],
): Promise<T> {
  const work = mkdtempSync(join(tmpdir(), 'cadre-nobody-'));
  const loaded = mkdtempSync(join(tmpdir(), 'cadre-script-'));
  try {
    if (process.getuid?.() === 0) chownSync(work, nobody, nobody);
    return await run<T>(typeof script === 'string' ? script : save(loaded, script.code), args, work);
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(loaded, { recursive: true, force: true });
  }
}

function save(directory: string, code: string): string {
  const path = join(directory, 'script.ts');
  writeFileSync(path, code);
  return path;
}

async function run<T>(script: string, args: readonly unknown[], directory: string): Promise<T> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, 'unprivileged-runner.ts'),
      script,
      JSON.stringify(args),
      directory,
    ],
    {
      cwd: directory,
      env: { ...process.env, HOME: directory, TMPDIR: directory },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const [output, errors, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (status !== 0) throw new Error(`${script} failed as nobody (exit ${status}):\n${errors}${output}`);
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  return (JSON.parse(last) as { value: T }).value;
}
