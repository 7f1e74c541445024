import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * The points of the test build (`build.ts`) at which its process can end itself without warning: before, during and after
 * every call that changes a file or starts a process. The program that users run has none of this.
 *
 * `CADRE_CRASH_AT=after link running/session.json#2` ends it at the second passing of that point;
 * `CADRE_CRASH_LIST=FILE` writes down all that are passed.
 */
export type Moment = 'before' | 'during' | 'after';

const { CADRE_CRASH_AT: wanted = '', CADRE_CRASH_LIST: list = '', CADRE_HOME: home = '' } = process.env;
const isOn = wanted !== '' || list !== '';
const passed = new Map<string, number>();

/** True where a `during` must be acted out by the caller, which then calls `end`. */
export function pass(moment: Moment, action: string, path: unknown, more = ''): boolean {
  if (!isOn) return false;
  const name = `${moment} ${action} ${describePath(String(path))}${more === '' ? '' : ` ${more}`}`;
  const count = (passed.get(name) ?? 0) + 1;
  passed.set(name, count);
  const point = `${name}#${count}`;
  if (list !== '') appendFileSync(list, `${point}\n`);
  if (point !== wanted) return false;
  if (moment !== 'during') end();
  return true;
}

export function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Without anything that differs between two runs. */
function describePath(path: string): string {
  const inHome = home === '' ? path : relative(home, path);
  const short = inHome.startsWith('..') ? relative(process.cwd(), path) : inHome;
  return short.split('/').map(describeName).slice(-4).join('/');
}

/** Projects, agents, sessions, processes, hashes, and random characters where we put them. */
function describeName(name: string): string {
  return name
    .replace(/^-tmp-.*/, '*')
    .replace(/^(?:agent-)?a\w{12}(?=\.)/, '*')
    .replace(uuid, 'session')
    .replace(/[a-z0-9]{16}(?=\.\w+$|$)/, '*')
    .replace(/[\w%~-]*\d[\w%~-]*|(?<=\.cadre-|\.fifo-|left-|cadre-proof-|\*\.)\w{6,}/g, '*');
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
