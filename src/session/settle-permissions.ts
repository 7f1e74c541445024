import { ok, type Result, usage } from '../lib/result.ts';
import { fullRole, openCeiling } from '../permissions/ceiling.ts';
import type { PermissionContext } from '../permissions/context.ts';
import { lookAtFiles } from '../permissions/look-files.ts';
import type { PermissionMode, Rule } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { parseRules } from '../settings/rules.ts';
import { realPathOf } from '../workspace/real-path.ts';
import type { SessionOptions } from './options.ts';
import type { Restored } from './restore.ts';
import type { Surroundings } from './surroundings.ts';

/** The lead's permissions; changed only by the user's commands and answers. */
export class LeadPermissions {
  #rules: readonly Rule[];
  #mode: PermissionMode;

  constructor(
    private readonly fixed: Pick<PermissionContext, 'workspace'> & {
      bypassAllowed: boolean;
      bypassDisabled: boolean;
    },
    rules: readonly Rule[],
    mode: PermissionMode,
  ) {
    this.#rules = rules;
    this.#mode = mode;
  }

  /** As of now: a run asks again for every call. */
  context(): PermissionContext {
    return {
      ceiling: openCeiling,
      role: fullRole,
      mode: this.#mode,
      rules: this.#rules,
      workspace: this.fixed.workspace,
    };
  }

  setMode(mode: PermissionMode): Result<void> {
    if (mode === 'bypassPermissions') {
      if (this.fixed.bypassDisabled) return usage(disabled);
      if (!this.fixed.bypassAllowed)
        return usage(
          'The session was not started with leave to skip permissions.',
          'Start it with --allow-dangerously-skip-permissions.',
        );
    }
    this.#mode = mode;
    return ok(undefined);
  }

  grant(rules: readonly Rule[]): void {
    this.#rules = [...this.#rules, ...rules];
  }
}

const disabled = 'Skipping permissions is disabled by settings (permissions.disableBypassPermissionsMode).';

export function settlePermissions(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  restored: Restored | undefined,
  readable: string[],
): Result<LeadPermissions> {
  const given = rulesOfOptions(options, around);
  if (!given.ok) return given;
  const mode = options.permissionMode ?? restoredMode(restored) ?? settings.defaultMode ?? 'default';
  if (mode === 'bypassPermissions' && settings.bypassDisabled) return usage(disabled);
  const directories = [...settings.additionalDirectories, ...(options.additionalDirectories ?? [])];
  const workspace = {
    cwd: around.cwd,
    directories,
    readable,
    home: around.layout.home,
    userHome: around.userHome,
    realPath: realPathOf,
    look: lookAtFiles([around.cwd, ...directories], around.outside.clock),
  };
  const bypassAllowed = options.allowBypass === true || mode === 'bypassPermissions';
  return ok(
    new LeadPermissions(
      { workspace, bypassAllowed, bypassDisabled: settings.bypassDisabled },
      [...given.value, ...settings.rules],
      mode,
    ),
  );
}

/** Neither planning nor skipping permissions comes back by itself. */
function restoredMode(restored: Restored | undefined): PermissionMode | undefined {
  const mode = restored?.state?.permissionMode;
  return mode === 'plan' || mode === 'bypassPermissions' ? undefined : mode;
}

function rulesOfOptions(options: SessionOptions, around: Surroundings): Result<Rule[]> {
  const allow = parseRules(options.allowedTools ?? [], 'allow', 'cli', '--allowedTools', around.cwd);
  if (!allow.ok) return allow;
  const deny = parseRules(options.disallowedTools ?? [], 'deny', 'cli', '--disallowedTools', around.cwd);
  return deny.ok ? ok([...allow.value, ...deny.value]) : deny;
}
