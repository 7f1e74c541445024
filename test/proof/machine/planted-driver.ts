/** Changes a machine in every way that the watch must see, and reports what it saw. Put back by the warden. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { attackedPlace } from './protocol.ts';
import { openWatch } from './watch.ts';

export type Seen = Record<string, string[]>;

const harmlessSetting = '/proc/sys/kernel/printk_ratelimit_burst';
const changes: Record<string, () => unknown> = {
  'a new file': () => writeFileSync('/etc/planted', ''),
  'a removed file': () => rmSync('/etc/issue', { force: true }),
  'a changed mode': () => chmodSync('/etc/hosts', 0o666),
  'a link': () => symlinkSync('/', '/opt/planted'),
  'a directory in a home': () => mkdirSync(`${attackedPlace}/.planted`),
  'a process that stays': () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }),
  'a server': () => new Promise<void>((resolve) => createServer().listen(0, '127.0.0.1', resolve)),
  'a setting of the kernel': () =>
    writeFileSync(harmlessSetting, `${Number(readFileSync(harmlessSetting, 'utf8')) + 1}\n`),
  'nothing at all': () => undefined,
};

const watch = openWatch();
await watch.look([]);
const seen: Seen = {};
for (const [name, change] of Object.entries(changes)) {
  await change();
  seen[name] = await watch.look([]);
}
watch.report({ seen, setting: readFileSync(harmlessSetting, 'utf8').trim() });
process.exit(0);
