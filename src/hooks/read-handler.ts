import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import type { HookHandler, HookSource } from './entry.ts';

const maxTextLength = 100_000;
/** One hour: longer runs are not waited for. */
const maxSeconds = 3_600;

/** One hook as written; the problem says which field is wrong. */
export function readHandler(
  hook: Readonly<Record<string, unknown>>,
  source: HookSource,
): Result<HookHandler, string> {
  const timeout = readTimeout(hook.timeout);
  if (!timeout.ok) return timeout;
  const timed = {
    ...timeout.value,
    status: typeof hook.statusMessage === 'string' ? hook.statusMessage.slice(0, 200) : undefined,
  };
  switch (hook.type) {
    case 'command':
      return readCommand(hook, timed, source);
    case 'http':
      return readHttp(hook, timed);
    case 'prompt':
      return readPrompt(hook, timed);
    case 'agent':
    case 'mcp_tool':
      return fail(`type: "${hook.type}" is not supported in this version`);
    default:
      return fail('type: expected command, http or prompt');
  }
}

type Timed = Pick<HookHandler, 'timeoutMs' | 'status'>;

function readCommand(
  hook: Readonly<Record<string, unknown>>,
  timed: Timed,
  { plugin }: HookSource,
): Result<HookHandler, string> {
  const { command, args, shell, sandbox } = hook;
  if (!isText(command)) return fail('command: expected a string');
  if (shell !== undefined && shell !== 'bash') return fail('shell: only "bash" is supported');
  if (args !== undefined && !(Array.isArray(args) && args.every((one) => typeof one === 'string')))
    return fail('args: expected a list of strings');
  if (sandbox !== undefined && typeof sandbox !== 'boolean') return fail('sandbox: expected true or false');
  // A shell expands the variable itself; a program started without one does not.
  const fill = (text: string) =>
    plugin === undefined ? text : text.replaceAll('$' + '{CLAUDE_PLUGIN_ROOT}', plugin);
  return ok({
    type: 'command',
    command: Array.isArray(args) ? fill(command) : command,
    args: Array.isArray(args) ? args.map(fill) : undefined,
    async: hook.async === true || hook.asyncRewake === true,
    sandbox,
    ...timed,
  });
}

function readHttp(hook: Readonly<Record<string, unknown>>, timed: Timed): Result<HookHandler, string> {
  const { url, headers = {}, allowedEnvVars = [] } = hook;
  if (!isText(url) || !URL.canParse(url)) return fail('url: expected an http(s) address');
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return fail('url: expected an http(s) address');
  if (username !== '' || password !== '')
    return fail('url: must not contain a user name or password; use headers');
  if (!isTexts(headers)) return fail('headers: expected an object of strings');
  if (!Array.isArray(allowedEnvVars) || !allowedEnvVars.every((name) => typeof name === 'string'))
    return fail('allowedEnvVars: expected a list of names');
  return ok({ type: 'http', url, headers, variables: allowedEnvVars, ...timed });
}

function readPrompt(hook: Readonly<Record<string, unknown>>, timed: Timed): Result<HookHandler, string> {
  const { prompt, model } = hook;
  if (!isText(prompt)) return fail('prompt: expected a string');
  if (model !== undefined && !isText(model)) return fail('model: expected the name of a model');
  return ok({ type: 'prompt', prompt, model, ...timed });
}

function readTimeout(value: unknown): Result<{ timeoutMs?: number }, string> {
  if (value === undefined) return ok({});
  if (typeof value !== 'number' || !(value > 0)) return fail('timeout: expected seconds');
  // Many files have milliseconds there: a guard that waits too long is better than none.
  return ok({ timeoutMs: Math.min(value, maxSeconds) * 1000 });
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= maxTextLength && !value.includes('\0')
  );
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    isRecord(value) &&
    Object.values(value).every((text) => typeof text === 'string' && !/[\r\n\0]/.test(text))
  );
}
