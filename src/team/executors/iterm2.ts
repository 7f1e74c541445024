import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { quote } from '../../lib/shell-quote.ts';
import type { OpenedPane, PaneBackend, PaneWish, SeenPane } from './pane-backend.ts';
import { cleanTitle } from './pane-text.ts';
import type { RunTerminal } from './run-program.ts';

export interface ItermOptions {
  /** The program `it2`. */
  file: string;
  run: RunTerminal;
  env: Readonly<Record<string, string>>;
  /** The session that this process is in: `ITERM_SESSION_ID`, or its part behind the colon. */
  session: string;
}

/**
 * Panes of iTerm2, through `it2` and its Python API. The verbs that are used: `session split`, `session run`, `session send`,
 * `session set-name`, `session list --json`, `session close -f`. iTerm2 has no way to hide one pane of a tab.
 */
export function itermBackend(options: ItermOptions): PaneBackend {
  const lead = options.session.slice(options.session.lastIndexOf(':') + 1);
  const call = (verb: string, args: readonly string[]) =>
    options.run({
      what: `it2 session ${verb}`,
      file: options.file,
      args: ['session', verb, ...args],
      env: options.env,
      cwd: '/',
    });
  const act = async (verb: string, id: string, ...words: string[]): Promise<Result<void>> => {
    const done = await call(verb, ['-s', id, ...(words.length > 0 ? ['--', ...words] : [])]);
    return done.ok ? ok(undefined) : done;
  };
  const list = async (): Promise<Result<SeenPane[]>> => {
    const listed = await call('list', ['--json']);
    return listed.ok ? parseSessions(listed.value) : listed;
  };
  const opened: string[] = [];
  /** Beside the last pane that is still there: the user may have closed any of them. */
  const split = async (): Promise<Result<string>> => {
    const listed = await list();
    if (!listed.ok) return listed;
    const last = opened.findLast((id) => listed.value.some((pane) => pane.id === id));
    const made = await call('split', last === undefined ? ['-v', '-s', lead] : ['-s', last]);
    return made.ok ? readSplit(made.value) : made;
  };
  const backend: PaneBackend = {
    type: 'iterm2',
    recognisedBy: 'id',
    async isAvailable() {
      const listed = await list();
      if (listed.ok) return ok(undefined);
      const hint =
        'Turn on "Enable Python API" in the settings of iTerm2 (General, Magic), and check: it2 session list';
      return failure(`it2 does not reach iTerm2: ${listed.problem.message}`, hint);
    },
    async open(wish) {
      const made = await split();
      if (!made.ok) return made;
      const id = made.value;
      opened.push(id);
      await backend.title(id, wish.title, wish.colour);
      const started = await act('run', id, renderLine(wish));
      if (started.ok) return ok<OpenedPane>({ id });
      await backend.close(id);
      return started;
    },
    title: (id, title) => act('set-name', id, cleanTitle(title)),
    // A carriage return at the end, as the Enter key sends it.
    send: (id, line) => act('send', id, `${line}\r`),
    list,
    async find(id) {
      const listed = await list();
      return listed.ok ? ok(listed.value.find((pane) => pane.id === id)) : listed;
    },
    async close(id) {
      const closed = await call('close', ['-f', '-s', id]);
      return closed.ok || /not found/i.test(closed.problem.message) ? ok(undefined) : closed;
    },
  };
  return backend;
}

/** A new session runs the user's shell: the command replaces it, so that the pane ends with the command. */
function renderLine({ command, cwd, colour }: PaneWish): string {
  const words = command.map(quote).join(' ');
  return `${renderTabColour(colour)}cd ${quote(cwd)} && exec ${words}`;
}

/** iTerm2's own escapes colour the pane's title bar. */
function renderTabColour(colour: string): string {
  const parts = rgb[colour] ?? parseHex(colour);
  if (!parts) return '';
  const escapes = ['red', 'green', 'blue'].map(
    (name, index) => `\\033]6;1;bg;${name};brightness;${parts[index] ?? 0}\\007`,
  );
  return `printf '${escapes.join('')}'; `;
}

const rgb: Readonly<Record<string, readonly number[]>> = {
  red: [205, 60, 60],
  green: [60, 170, 80],
  yellow: [200, 170, 40],
  blue: [70, 110, 210],
  magenta: [180, 80, 180],
  cyan: [50, 170, 180],
};

function parseHex(colour: string): number[] | undefined {
  const [, ...parts] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour) ?? [];
  return parts.length === 3 ? parts.map((part) => Number.parseInt(part, 16)) : undefined;
}

const sessionId = /^[\w-]{4,80}$/;

function readSplit(output: string): Result<string> {
  const [, id = ''] = /Created new pane: (\S+)/.exec(output) ?? [];
  return sessionId.test(id)
    ? ok(id)
    : failure(`it2 session split did not name the new pane: ${cleanTitle(output)}`, 'Update it2.');
}

function parseSessions(output: string): Result<SeenPane[]> {
  const found = parseJson(output);
  if (!Array.isArray(found)) return failure('it2 session list --json did not print a list.', 'Update it2.');
  return ok(
    found.flatMap((one) =>
      isRecord(one) && typeof one.id === 'string' && sessionId.test(one.id) ? [{ id: one.id }] : [],
    ),
  );
}
