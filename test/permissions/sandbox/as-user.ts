import { join } from 'node:path';
import { runUnprivileged, temporaryDirectory } from '../../support/index.ts';

/**
 * Calls a function of one of these modules with a fresh directory, as somebody without rights. In a process of its own: one
 * that has given up its rights may not look at its own descriptors. As one file, since the checkout may be closed to others.
 */
export async function asUser<T>(module: string, name: string): Promise<T> {
  const { path } = temporaryDirectory();
  const entry = join(path, 'entry.ts');
  await Bun.write(
    entry,
    `import { ${name} } from '${join(import.meta.dirname, module)}';
const value = await ${name}(process.argv[2]);
await Bun.write(Bun.stdout, JSON.stringify(value ?? null));
process.exit(0);
`,
  );
  const built = await Bun.build({ entrypoints: [entry], target: 'bun' });
  const code = await built.outputs[0]?.text();
  if (code === undefined) throw new Error('nothing was built');
  return runUnprivileged<T>({ code: `const code = ${JSON.stringify(code)};\n${runner}` }, [process.execPath]);
}

const runner = `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
export default async function ([program], directory) {
  const file = join(directory, 'inside.mjs');
  writeFileSync(file, code);
  const work = join(directory, 'ground');
  (await import('node:fs')).mkdirSync(work);
  const child = Bun.spawn([program, file, work], { cwd: directory, stdout: 'pipe', stderr: 'pipe' });
  const [out, errors, status] = await Promise.all([
    new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited,
  ]);
  if (status !== 0) throw new Error(errors + out);
  return JSON.parse(out);
}`;
