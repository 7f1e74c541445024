import { expect, test } from 'bun:test';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { runPrompt } from '../../src/headless/run-prompt.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, failWith, fakeProvider, say, type Turn } from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { noInterrupts, pipe, request, user } from './support.ts';

/** The lead's second request fails; its agent reports after that, and the lead answers the report. */
function failing(more: Parameters<typeof request>[1]) {
  let leadTurns = 0;
  let report = () => {};
  const failed = new Promise<void>((resolve) => {
    report = resolve;
  });
  const turn: Turn = async ({ asker }: ModelRequest) => {
    if (asker?.agentId != null) {
      await failed;
      return say('Worked.');
    }
    if (leadTurns++ === 0)
      return call('Agent', { description: 'Work', prompt: 'Work.', run_in_background: true });
    if (leadTurns > 2) return say('Heard of it.');
    setTimeout(report, 0);
    return failWith({ kind: 'invalid_request', message: 'messages.3: no.', status: 400 });
  };
  return request(
    Array.from({ length: 4 }, () => turn),
    { prompt: 'Go', ...more },
  );
}

for (const outputFormat of ['text', 'json'] as const)
  test(`a run that failed is not hidden by what background agents report afterwards (${outputFormat})`, async () => {
    const piped = pipe('none');
    expect(await runPrompt(failing({ outputFormat }), piped.io, noInterrupts)).toBe(1);
    expect(piped.out()).toContain('Heard of it.');
    if (outputFormat === 'text') expect(piped.err()).toContain('cadre: messages.3: no.');
    else
      expect(piped.frames()).toEqual([
        expect.objectContaining({
          ...{ is_error: true, outcome: 'failed', errors: [expect.stringContaining('messages.3: no.')] },
        }),
      ]);
  });

for (const outputFormat of ['text', 'json'] as const)
  test(`an answer of a given form is one object, the last one, also if a background agent reports after the first (${outputFormat})`, async () => {
    const answers = [{ sum: 1 }, { sum: 2 }];
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let leadTurns = 0;
    const turn: Turn = async ({ asker }: ModelRequest) => {
      if (asker?.agentId != null) {
        await answered;
        return say('Worked.');
      }
      if (leadTurns++ === 0)
        return call('Agent', { description: 'Work', prompt: 'Work.', run_in_background: true });
      setTimeout(answer, 0);
      return call('SyntheticOutput', answers.shift() ?? { sum: 3 });
    };
    const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const wanted = request(
      Array.from({ length: 4 }, () => turn),
      { prompt: 'Go', outputFormat, session: { outputSchema } },
    );
    const piped = pipe('none');
    expect(await runPrompt(wanted, piped.io, noInterrupts)).toBe(0);
    if (outputFormat === 'text') expect(JSON.parse(piped.out())).toEqual({ sum: 2 });
    else
      expect(piped.frames()).toEqual([
        expect.objectContaining({ result: '{"sum":2}', structured_output: { sum: 2 } }),
      ]);
  });

test('a host that is ended from outside is not waited for, although its side is open', async () => {
  const ending = new AbortController();
  const wanted = request([say('Hello.')], { inputFormat: 'stream-json', outputFormat: 'stream-json' });
  const piped = pipe();
  let close: () => void = () => {};
  const interrupts = {
    attach(session: { close(): Promise<unknown> }) {
      close = () => void session.close();
    },
    interrupt() {},
    exitCode: () => (ending.signal.aborted ? 143 : undefined),
    ending: ending.signal,
  };
  const served = serveHost(wanted, piped.io, interrupts);
  piped.write(user('Hi'));
  await piped.frame(({ type }) => type === 'result');
  close();
  ending.abort();
  expect(await served).toBe(143);
});

for (const how of ['--wait 0', '-p'] as const)
  test(`G13 a host whose work is suspended ends with 75 at the end of its input (${how})`, async () => {
    const failure = { kind: 'rate_limited' as const, message: 'Quota used up.', status: 429 };
    await using provider = await fakeProvider({
      script: () => failWith({ ...failure, retryAfterMs: 5 * 3_600_000 }),
    });
    const wanted = request([], {
      ...{ inputFormat: 'stream-json', outputFormat: 'stream-json', print: how === '-p' },
    });
    const session = {
      ...wanted.session,
      ...(how === '-p' ? {} : { wait: '0' }),
      model: 'anthropic/claude-sonnet-5-5',
      environment: {
        ...wanted.session.environment,
        ...{ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
      },
    };
    const piped = pipe();
    let code: number | undefined;
    void serveHost({ ...wanted, session }, piped.io, noInterrupts).then((ended) => {
      code = ended;
    });
    piped.write(user('Go'));
    await until(() => provider.requests.length === 1);
    piped.end();
    await until(() => code !== undefined);
    expect(code).toBe(75);
    expect(piped.frames().findLast(({ type }) => type === 'result')).toMatchObject({
      ...{ is_error: true, outcome: 'interrupted', suspended_until: expect.any(String) },
    });
  });
