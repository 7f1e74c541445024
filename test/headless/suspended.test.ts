import { expect, test } from 'bun:test';
import { runPrompt } from '../../src/headless/run-prompt.ts';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, failWith, fakeProvider, say } from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { noInterrupts, pipe, request } from './support.ts';

const hour = 3_600_000;

for (const outputFormat of ['text', 'stream-json'] as const)
  test(`G13 agents in the background that are suspended are waited for, within --wait (${outputFormat})`, async () => {
    const clock = manualClock(Date.now());
    let isReset = false;
    const script = ({ messages }: ModelRequest) => {
      const text = JSON.stringify(messages);
      const failure = {
        ...{ kind: 'rate_limited' as const, message: 'Quota used up.', status: 429 },
        retryAfterMs: 5 * hour,
      };
      if (text.includes('"text":"job"')) return isReset ? say('Reported.') : failWith(failure);
      if (messages.length > 1) return say(text.includes('Reported.') ? 'All done.' : 'Started.');
      // Its own model: a limit of the lead's would hold the lead as well.
      const job = { description: 'job', prompt: 'job', subagent_type: 'general-purpose', model: 'haiku' };
      return call('Agent', { ...job, run_in_background: true });
    };
    await using provider = await fakeProvider({ script });
    const wanted = request([], { prompt: 'Go', outputFormat, clock, session: { clock, wait: '6h' } });
    const { environment } = wanted.session;
    const session = {
      ...wanted.session,
      model: 'anthropic/claude-sonnet-5-5',
      environment: { ...environment, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
    };
    const piped = pipe('none');
    const ran = runPrompt({ ...wanted, session }, piped.io, noInterrupts);
    await until(
      () => `${piped.out()}${piped.err()}`.includes('Suspended until') && provider.requests.length === 3,
    );
    for (let passed = 0; passed < 5; passed++) clock.advance(hour - 1_000);
    isReset = true;
    let code: number | undefined;
    void ran.then((ended) => {
      code = ended;
    });
    // A timer may be set after the message about it.
    await until(() => {
      clock.advance(10_000);
      return code !== undefined;
    });
    expect(code).toBe(0);
    if (outputFormat === 'text') {
      expect(piped.out()).toContain('All done.');
      expect(piped.err().match(/Suspended until/g)).toHaveLength(1);
      return;
    }
    const patches = piped
      .frames()
      .flatMap(({ subtype, patch }) => (subtype === 'task_updated' ? [patch] : []));
    expect(patches).toContainEqual({
      suspended: expect.objectContaining({ reason: expect.stringContaining('Quota used up.') }),
    });
    expect(patches).toContainEqual({ suspended: null });
  });

for (const outputFormat of ['json', 'stream-json'] as const)
  test(`G13 a run that ends while an agent is suspended says so in its result (${outputFormat})`, async () => {
    const script = ({ messages }: ModelRequest) => {
      const failure = {
        ...{ kind: 'rate_limited' as const, message: 'Quota used up.', status: 429 },
        retryAfterMs: 5 * hour,
      };
      if (JSON.stringify(messages).includes('"text":"job"')) return failWith(failure);
      if (messages.length > 1) return say('Started.');
      const job = { description: 'job', prompt: 'job', model: 'haiku', run_in_background: true };
      return call('Agent', { ...job, subagent_type: 'general-purpose' });
    };
    await using provider = await fakeProvider({ script });
    const wanted = request([], { prompt: 'Go', outputFormat });
    const session = {
      ...wanted.session,
      model: 'anthropic/claude-sonnet-5-5',
      environment: {
        ...wanted.session.environment,
        ...{ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
      },
    };
    const piped = pipe('none');
    expect(await runPrompt({ ...wanted, session }, piped.io, noInterrupts)).toBe(75);
    const last = piped.frames().findLast(({ type }) => type === 'result');
    expect(last).toMatchObject({ is_error: true, outcome: 'interrupted' });
    expect(String(last?.suspended_until)).toMatch(/^\d{4}-/);

    const again = pipe('none');
    const { prompt: _, ...later } = {
      ...wanted,
      session: { ...session, resume: { from: 'latest' as const } },
    };
    expect(await runPrompt(later, again.io, noInterrupts)).toBe(75);
    const results = again.frames().filter(({ type }) => type === 'result');
    expect(results).toMatchObject([
      { is_error: true, outcome: 'interrupted', suspended_until: expect.any(String) },
    ]);
  });

test('a model that is gone after it has answered is a failed run, not wrong input', async () => {
  const gone = failWith({ kind: 'model_not_found', message: 'No such model.', status: 404 });
  const answered = request([call('Glob', { pattern: '*' }), gone], { prompt: 'Go' });
  expect(await runPrompt(answered, pipe('none').io, noInterrupts)).toBe(1);
  expect(await runPrompt(request([gone], { prompt: 'Go' }), pipe('none').io, noInterrupts)).toBe(2);
});
