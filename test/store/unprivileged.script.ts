import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { createFileHistory } from '../../src/store/files/file-history.ts';
import { createLayout } from '../../src/store/layout.ts';
import { createOutputs, storeLargeResult } from '../../src/store/outputs.ts';
import { listSessions } from '../../src/store/sessions.ts';
import { createTranscript, loadTranscript, reopenTranscript } from '../../src/store/transcript.ts';
import { headerFor, mustHave, sessionId, user } from './build.ts';

export default async function keepSession(_args: unknown[], directory: string) {
  process.umask(0);
  const layout = createLayout(join(directory, 'home'));
  const session = layout.session('/a', sessionId);
  const transcript = mustHave(createTranscript(session.transcript, headerFor('/a')));
  mustHave(transcript.append(user('u1', null, 'hello')));
  const history = createFileHistory(session.fileHistory, (record) => transcript.append(record), systemClock);
  mustHave(await history.keep('/a/b', Buffer.from('x'), 'c1'));
  storeLargeResult(createOutputs(session.toolResults), 'c1', 'x'.repeat(100), 10);
  transcript.close();
  const modes = modesUnder(layout.home);

  const closed = join(directory, 'closed');
  mkdirSync(closed, { mode: 0 });
  chmodSync(session.transcript, 0);
  return {
    modes,
    refusedCreate: createTranscript(createLayout(closed).transcript('/a', sessionId), headerFor('/a')),
    refusedLoad: await loadTranscript(session.transcript),
    refusedReopen: reopenTranscript(session.transcript),
    listed: (await listSessions(layout)).length,
  };
}

function modesUnder(home: string): Record<string, string> {
  const paths = ['', ...(readdirSync(home, { recursive: true }) as string[])].map((name) => join(home, name));
  const describe = (path: string) => {
    const status = statSync(path);
    const name = relative(join(home, '..'), path) + (status.isDirectory() ? '/' : '');
    return [name, (status.mode & 0o777).toString(8)];
  };
  return Object.fromEntries(paths.map(describe));
}
