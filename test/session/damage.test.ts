import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openSession } from '../../src/session/open.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

/** A provider that is strict about who speaks when, as the real ones are. */
async function talk(at: ReturnType<typeof place>, prompt: string, go: boolean) {
  await using provider = await fakeProvider({ script: [say(`re: ${prompt}`)] });
  const opened = await openSession({
    cwd: at.cwd,
    environment: { ...at.environment, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'test-key-1' },
    model: 'claude-sonnet-5-5',
    ...(go ? { resume: { from: 'latest' as const } } : {}),
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  const notices: string[] = [];
  void (async () => {
    for await (const event of opened.value.events())
      if (event.type === 'notice_given') notices.push(event.text);
  })();
  const outcome = await opened.value.run(prompt);
  await opened.value.close();
  return {
    outcome,
    notices,
    path: opened.value.info().transcriptPath ?? '',
    body: provider.requests.at(-1)?.body.toString(),
  };
}

test.each(['first', 'second', 're: first', 're: second'])(
  'SE1 with the line of "%s" damaged the session still goes on, and says what was lost',
  async (lost) => {
    const at = place();
    mkdirSync(at.cwd, { recursive: true });
    await talk(at, 'first', false);
    const { path } = await talk(at, 'second', true);
    const lines = readFileSync(path, 'utf8').split('\n');
    const broken = lines.map((line) => (line.includes(`"text":"${lost}"`) ? line.slice(0, 40) : line));
    expect(broken).not.toEqual(lines);
    writeFileSync(path, broken.join('\n'));
    const third = await talk(at, 'third', true);
    expect(third.outcome).toMatchObject({ kind: 'completed', text: 're: third' });
    expect(third.notices.join('\n')).toContain('damaged');
    for (const kept of ['first', 'second', 're: first', 're: second'].filter((text) => text !== lost))
      expect(third.body).toContain(`"text":"${kept}"`);
    expect((await talk(at, 'fourth', true)).outcome.kind).toBe('completed');
  },
);

test('G4 when the message of a call that had begun is missing, the user and the model hear which call it was', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const first = await open(at, [call('Bash', { command: 'echo done > file' }), say('Done.')], {
    permissionMode: 'bypassPermissions',
    allowBypass: true,
  });
  await first.prompt('Go');
  await first.session.close();
  const path = first.session.info().transcriptPath ?? '';
  const lines = readFileSync(path, 'utf8').split('\n');
  const missing = lines.findIndex((line) => line.includes('"type":"tool_use"'));
  const id = /"id":"(toolu_\w+)"/.exec(lines[missing] ?? '')?.[1] ?? 'none';
  writeFileSync(path, lines.toSpliced(missing, 1).join('\n'));
  const again = async () => {
    const next = await open(at, [say('Seen.')], { resume: { from: 'id', id: first.session.id } });
    await next.prompt('Next');
    await next.session.close();
    const sent = JSON.stringify(next.model.requests[0]?.messages);
    const notices = next.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
    return {
      told: sent.split(`${id}: interrupted, result unknown`).length - 1,
      isNoticed: notices.some((text) => text.includes(`whose message is missing: ${id}`)),
    };
  };
  expect(await again()).toEqual({ told: 1, isNoticed: true });
  expect(await again()).toEqual({ told: 1, isNoticed: false });
});

test('G3 a background task whose session was killed is told when the session goes on, once', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const first = await open(at, [say('Hi.')]);
  await first.prompt('Go');
  await first.session.close();
  const path = first.session.info().transcriptPath ?? '';
  const task = {
    id: 'babc',
    runId: 'r1',
    kind: 'local_bash',
    status: 'running',
    description: 'build',
    startedAt: '2026-01-01T00:00:00.000Z',
    outputFile: '/o',
    owner: null,
  };
  writeFileSync(path, `${JSON.stringify({ type: 'task-state', timestamp: task.startedAt, task })}\n`, {
    flag: 'a',
  });
  const told = async () => {
    const { session, model, prompt } = await open(at, [say('I see.')], { resume: { from: 'latest' } });
    await prompt('And?');
    await session.close();
    return JSON.stringify(model.requests[0]?.messages).match(/<task-id>babc/g)?.length ?? 0;
  };
  expect(await told()).toBe(1);
  expect(await told()).toBe(1);
});
