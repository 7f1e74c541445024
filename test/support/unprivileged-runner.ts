/** Started by `runUnprivileged`: loads a script, gives up all rights, then calls it. */
import { nobody } from './unprivileged.ts';

const [script = '', args = '[]', directory = '.'] = process.argv.slice(2);
const loaded: { default(args: unknown[], directory: string): unknown } = await import(script);

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
  if (process.getuid() === 0) throw new Error('still root after setuid');
}

const value = (await loaded.default(JSON.parse(args), directory)) ?? null;
process.stdout.write(`${JSON.stringify({ value })}\n`);
