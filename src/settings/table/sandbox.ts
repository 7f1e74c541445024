import { resolve } from 'node:path';
import { form } from '../../lib/form/form.ts';
import type { Rule } from '../../protocol/permission.ts';
import { command, flag, host, path, program } from './checks.ts';
import { custom, list, section, single } from './merging.ts';
import type { FromRepository, LayerContext, Merging } from './setting.ts';

/** Until a repository is trusted it can only make the sandbox tighter. */
const tightest = <Value>(value: Value): FromRepository<Value> => ({
  tightens: (written) => written === value,
});
const narrows: FromRepository<unknown> = { narrows: () => true };

/** How shell commands are confined; docs/sandbox.md. */
export const sandbox = section(
  {
    enabled: single(flag, {
      about: '`false`: shell commands run unconfined',
      otherwise: 'on where it works',
      repository: tightest(true),
    }),
    failIfUnavailable: single(flag, {
      about: '`true`: no session starts without a sandbox',
      usual: false,
      repository: tightest(true),
    }),
    autoAllowBashIfSandboxed: single(flag, {
      about: 'confined commands run without asking',
      usual: true,
      repository: tightest(false),
    }),
    allowUnsandboxedCommands: single(flag, {
      about: '`false`: nothing runs outside the sandbox',
      usual: true,
      repository: tightest(false),
    }),
    excludedCommands: list(command, {
      about:
        'commands that run outside the sandbox, written as in `Bash(…)`; a name alone covers all its calls',
    }),
    network: section(
      {
        allowedDomains: list(host, { about: 'hosts that commands may reach', otherwise: 'none: no network' }),
        deniedDomains: list(host, {
          about: 'hosts that commands may never reach, even if they are allowed',
          repository: narrows,
        }),
        allowAllUnixSockets: single(flag, {
          about: 'commands may connect to Unix sockets',
          usual: false,
          repository: tightest(false),
        }),
        allowLocalBinding: single(flag, {
          about: 'commands may listen on local ports (macOS only; on Linux they have a separate loopback)',
          usual: false,
          repository: tightest(false),
        }),
      },
      { guards: true },
    ),
    filesystem: section(
      {
        allowWrite: paths('more directories that commands may write'),
        denyWrite: denials('Edit', 'paths that commands may not write, in addition to protected ones'),
        denyRead: denials('Read', 'paths that commands may not read, in addition to credentials'),
        allowRead: paths('paths to show that are [hidden](sandbox.md#what-exists-inside) by default'),
      },
      { guards: true },
    ),
    bwrapPath: single(program, { about: 'the `bwrap` program', otherwise: "the system's own" }),
    socatPath: single(program, { about: 'the `socat` program', otherwise: "the system's own" }),
  },
  { guards: true },
);

/** Patterns are not supported in settings that open the sandbox: they are left out and reported. */
function paths(about: string) {
  const merging: Merging<string[], string[]> = {
    start: () => [],
    add: (before, written, layer) => [
      ...before,
      ...written.filter((one) => !isPattern(one)).map((one) => resolvePath(one, layer)),
    ],
    listParts: (merged) => merged,
  };
  return custom(() => form.array(path()), merging, {
    about: `${about}; absolute, \`~/…\` or relative to the file's directory; no patterns`,
    ignores(written) {
      const patterns = written.filter(isPattern);
      return patterns.length > 0
        ? `patterns are not supported here, so ${patterns.join(', ')} has no effect`
        : undefined;
    },
  });
}

function denials(tool: 'Read' | 'Edit', about: string) {
  const merging: Merging<string[], Rule[]> = {
    start: () => [],
    add: (before, written, layer) => [...before, ...written.flatMap((path) => denyPath(tool, path, layer))],
  };
  return custom(() => form.array(path()), merging, {
    about: `${about}; absolute, \`~/…\`, or [relative](sandbox.md#the-working-directory) to the workspace`,
    repository: narrows,
    ignores(written) {
      const reaching = written.filter((path) => path.includes('/') && isPattern(path.replace(/\/\*\*$/, '')));
      const [first] = reaching;
      return first === undefined
        ? undefined
        : `${reaching.join(', ')} holds only where a command starts in that directory; name the files or the directory, or add the deny rule ${tool}(${first}), by which lines are judged`;
    },
  });
}

/**
 * A relative path is a rule as it is written, so in the workspace of whoever runs the command, and one from the base of its file:
 * the home for the user's own settings, the main checkout for an agent in a worktree.
 */
function denyPath(tool: 'Read' | 'Edit', path: string, layer: LayerContext): Rule[] {
  const { layer: from, file: source, base } = layer.place;
  const deny = (specifier: string): Rule => ({
    behaviour: 'deny',
    tool,
    specifier,
    layer: from,
    source,
    base,
  });
  // A name without a slash matches in every directory, as in rules.
  if (path !== '~' && !path.includes('/')) return [deny(path)];
  const fixed = deny(`/${resolvePath(path, layer)}`);
  return /^(?:\/|~(?:\/|$))/.test(path) ? [fixed] : [fixed, deny(path)];
}

function isPattern(path: string): boolean {
  return /[*?[\]]/.test(path);
}

/** `/absolute`, also written `//absolute`; `~/`; anything else is relative to the file's base directory. */
function resolvePath(written: string, { place, options: { userHome, cwd } }: LayerContext): string {
  if (written === '~' || written.startsWith('~/')) return resolve(userHome, written.slice(2));
  return resolve(place.layer === 'managed' ? cwd : place.base, written.replace(/^\/\//, '/'));
}
