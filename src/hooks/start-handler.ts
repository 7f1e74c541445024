import type { HookEntry } from './entry.ts';
import type { Firing } from './firing.ts';
import type { HookRun, RunningHook } from './hook-run.ts';
import type { HookHost } from './host.ts';

export interface HandlerStart {
  firing: Firing;
  input: object;
  timeoutMs: number;
  progressed(stdout: string, stderr: string): void;
}

/** Starts one hook of any kind. The code for each kind is loaded when it is first used. */
export function startHandler(
  host: HookHost,
  { handler, source }: HookEntry,
  start: HandlerStart,
): RunningHook {
  const { firing, input, timeoutMs, progressed } = start;
  const { signal } = firing.at;
  if (handler.type === 'command') {
    const { background } = firing;
    const running = import('./run-command.ts').then(({ runCommand }) =>
      runCommand(host, {
        handler,
        source,
        timeoutMs,
        signal,
        background,
        progressed,
        input: JSON.stringify(input),
      }),
    );
    return { heard: running.then(({ heard }) => heard), ended: running.then(({ ended }) => ended) };
  }
  const ended = ask();
  return { heard: ended, ended };

  async function ask(): Promise<HookRun> {
    if (handler.type === 'http') {
      const { runHttp } = await import('./run-http.ts');
      return runHttp(host, handler, JSON.stringify(input), timeoutMs, signal);
    }
    if (handler.type === 'prompt') {
      const { runPrompt } = await import('./run-prompt.ts');
      return runPrompt(host, handler, JSON.stringify(input), firing.agent, timeoutMs, signal);
    }
    if (handler.type !== 'callback') return { kind: 'failed', stdout: '', stderr: '' };
    const { runCallback } = await import('./run-callback.ts');
    return runCallback(host, handler, input, firing.call?.toolUseId, timeoutMs, signal);
  }
}
