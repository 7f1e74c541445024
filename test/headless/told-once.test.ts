import { expect, test } from 'bun:test';
import { createOutput } from '../../src/headless/output.ts';
import { type AgentEvent, noUsage } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import { pipe, request } from './support.ts';

test('a run that ends for a reason that the user was told of names it once', async () => {
  const wanted = request([], { prompt: 'Go' });
  const opened = await openSession(wanted.session);
  if (!opened.ok) throw new Error(opened.problem.message);
  const piped = pipe('none');
  const output = createOutput('text', opened.value.info(), wanted, piped.io, (text) => text);
  const about = { agentId: null, parentToolUseId: null };
  const reason = 'Session x was taken over by process 7 while this process was paused.';
  await output.accept({
    ...{ ...about, type: 'notice_given', level: 'warning', text: `${reason} Nothing more is written.` },
  } as AgentEvent);
  const outcome = { kind: 'failed' as const, text: '', reason, turns: 0, usage: noUsage };
  await output.accept({
    ...{ ...about, type: 'run_ended', outcome, prompts: [], durationMs: 0, modelMs: 0 },
    cost: opened.value.cost(),
  } as AgentEvent);
  await output.finish();
  expect(piped.err().split('taken over')).toHaveLength(2);
  await opened.value.close();
});
