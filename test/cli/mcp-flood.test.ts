import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say, together } from '../../src/testing/index.ts';
import { fakeServer, pidsIn } from '../mcp/support.ts';
import { newPlace, start, until } from './support.ts';

const floods: [string, ReturnType<typeof call>][] = [
  ['one line without end', call('mcp__fake__flood', { megabytes: 1_000_000 })],
  ['noise on its error stream without end', call('mcp__fake__spam', { text: 'stderr' })],
];

for (const [name, flood] of floods)
  test(`SIGINT while a server sends ${name} ends the session, and nothing is left of it`, async () => {
    const place = newPlace();
    const mark = join(place.cwd, 'servers');
    await using provider = await fakeProvider({ script: [together(say('I ask it.'), flood)] });
    const servers = JSON.stringify({ mcpServers: { fake: fakeServer('plain', mark) } });
    const flags = ['--mcp-config', servers, '--allowedTools', 'mcp__fake'];
    const patient = ['--settings', '{"mcp":{"startupWaitMs":20000}}'];
    const running = start(['-p', 'Go.', ...flags, ...patient], { place, provider });
    await until(() => existsSync(`${mark}.busy`));
    process.kill(running.pid, 'SIGINT');
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130 });
    expect(ended.out).toContain('I ask it.');
    expect(ended.err).not.toMatch(/^\s+at /m);
    expect(pidsIn(mark).filter(isAlive)).toEqual([]);
  });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
