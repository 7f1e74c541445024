import { expect } from 'bun:test';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { openSession } from '../../src/session/open.ts';
import { restoreConversation } from '../../src/store/conversation.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { call, calls, fakeProvider } from '../../src/testing/index.ts';
import { smallDisk } from '../support/index.ts';
import { place } from './support.ts';

const disk = smallDisk(512);

disk.test(
  'a session that met a full disk in a call goes on when there is room, without being left',
  async () => {
    const at = place();
    const home = join(disk.path, 'home');
    const filler = join(disk.path, 'filler');
    mkdirSync(at.cwd, { recursive: true });
    // Strict about calls without results, as the real ones are.
    await using provider = await fakeProvider({
      script: [
        calls([
          call('Bash', { command: `cat /dev/zero > ${filler}; seq 3000` }),
          call('Bash', { command: 'echo second' }),
        ]),
        'There is room again.',
        'Still.',
      ],
    });
    const opened = await openSession({
      cwd: at.cwd,
      environment: {
        ...at.environment,
        CADRE_HOME: home,
        ANTHROPIC_BASE_URL: provider.url,
        ANTHROPIC_API_KEY: 'test-key-1',
      },
      model: 'claude-sonnet-5-5',
      sandbox: false,
      permissionMode: 'bypassPermissions',
    });
    if (!opened.ok) throw new Error(opened.problem.message);
    const session = opened.value;

    const full = { kind: 'failed', reason: expect.stringContaining('the disk is full') };
    expect(await session.run('Fill it')).toMatchObject(full);
    expect(await session.run(`Too early ${'x'.repeat(9_000)}`)).toMatchObject(full);
    rmSync(filler);
    expect(await session.run('Go on')).toMatchObject({ kind: 'completed', text: 'There is room again.' });
    expect(JSON.stringify(provider.received[1]?.messages)).toMatch(/Interrupted, result unknown.*Go on/);
    expect(await session.run('And now?')).toMatchObject({ kind: 'completed', text: 'Still.' });

    const loaded = await loadTranscript(session.info().transcriptPath ?? '');
    await session.close();
    if (!loaded.ok) throw new Error(loaded.problem.message);
    const stored = restoreConversation(loaded.value, manualClock(), { uuid: () => 'none' });
    expect(stored).toMatchObject({ broken: [], interrupted: [], repairs: [] });
  },
);
