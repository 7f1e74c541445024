import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serveHost } from '../../src/headless/host/serve-host.ts';
import { call, say } from '../../src/testing/index.ts';
import { control, noInterrupts, pipe, request, user } from './support.ts';

const stream = { inputFormat: 'stream-json', outputFormat: 'stream-json' } as const;
const touch = call('Bash', { command: 'touch made' }, 'c1');
const asks = (frame: Record<string, unknown>) => frame.type === 'control_request';
const isResult = (frame: Record<string, unknown>) => frame.type === 'result';

const answer = (asked: Record<string, unknown>, response: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: asked.request_id, response },
});

test('a host is asked by hook_callback, and its word counts', async () => {
  const { io, write, end, frame, frames } = pipe();
  const wanted = request([touch, say('Ok.')], { ...stream, session: { allowedTools: ['Bash'] } });
  const served = serveHost(wanted, io, noInterrupts);
  write(
    control('1', 'initialize', { hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_0'] }] } }),
  );
  write(user('Go'));
  const asked = await frame(asks);
  expect(asked.request).toMatchObject({
    subtype: 'hook_callback',
    callback_id: 'hook_0',
    tool_use_id: 'c1',
    input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'touch made' } },
  });
  write(answer(asked, { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } }));
  await frame(isResult);
  end();
  expect(await served).toBe(0);
  expect(existsSync(join(String(wanted.session.cwd), 'made'))).toBe(false);
  expect(frames().find((one) => one.type === 'control_response')).toMatchObject({
    response: { subtype: 'success', response: { hook_on_failure_supported: true } },
  });
});

test('a host that leaves is not waited for; where it must be asked, nothing happens without it', async () => {
  for (const [onFailure, isMade] of [
    ['block', false],
    [undefined, true],
  ] as const) {
    const { io, write, end, frame } = pipe();
    const wanted = request([touch, say('Ok.')], { ...stream, session: { allowedTools: ['Bash'] } });
    const served = serveHost(wanted, io, noInterrupts);
    write(
      control('1', 'initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'], onFailure }] } }),
    );
    write(user('Go'));
    await frame(asks);
    end();
    await served;
    expect(existsSync(join(String(wanted.session.cwd), 'made'))).toBe(isMade);
  }
});

test('an interrupt takes the request back', async () => {
  const { io, write, end, frame } = pipe();
  const served = serveHost(request([touch], stream), io, noInterrupts);
  write(control('1', 'initialize', { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } }));
  write(user('Go'));
  const asked = await frame(asks);
  write(control('2', 'interrupt'));
  expect(await frame((one) => one.type === 'control_cancel_request')).toMatchObject({
    request_id: asked.request_id,
  });
  await frame(isResult);
  end();
  await served;
});

test('hooks that make no sense are refused with their field; an event that is not there is named', async () => {
  const broken = pipe();
  broken.write(control('1', 'initialize', { hooks: { PreToolUse: [{ hookCallbackIds: 'x' }] } }));
  broken.end();
  expect(await serveHost(request([], stream), broken.io, noInterrupts)).toBe(2);
  expect(broken.err()).toContain('hooks.PreToolUse.hookCallbackIds: expected a list of ids');
  const later = pipe();
  later.write(control('1', 'initialize', { hooks: { PostToolBatch: [{ hookCallbackIds: ['x'] }] } }));
  later.end();
  expect(await serveHost(request([], stream), later.io, noInterrupts)).toBe(0);
  expect(later.err()).toContain('PostToolBatch hooks will not run');
});

test('what hooks do is on the wire only with --include-hook-events', async () => {
  const settings = JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'echo out; echo err >&2; exit 1' }] }] },
  });
  const subtypes = async (includeHookEvents: boolean) => {
    const { io, write, end, frames } = pipe();
    write(user('Go'));
    end();
    await serveHost(
      request([say('Ok.')], { ...stream, includeHookEvents, session: { settings } }),
      io,
      noInterrupts,
    );
    return frames().filter((one) => String(one.subtype).startsWith('hook_'));
  };
  expect(await subtypes(false)).toEqual([]);
  expect(await subtypes(true)).toMatchObject([
    {
      type: 'system',
      subtype: 'hook_started',
      hook_name: 'Stop',
      hook_event: 'Stop',
      hook_id: expect.any(String),
    },
    {
      subtype: 'hook_response',
      stdout: 'out\n',
      stderr: 'err\n',
      output: 'out\nerr\n',
      exit_code: 1,
      outcome: 'error',
    },
  ]);
});
