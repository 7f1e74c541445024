import { resolve } from 'node:path';
import { keepDefined } from '../lib/fields/keep-defined.ts';
import { ok, type Result } from '../lib/result.ts';
import type { ReaderRefusals } from '../permissions/reader-refusals.ts';
import { openRefusals } from '../permissions/reader-refusals.ts';
import type { Rule, Tool } from '../protocol/index.ts';
import { fillSection } from '../settings/environment.ts';
import { parseRules } from '../settings/known-tools.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import { agents } from '../settings/table/agents.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** How agents run in this session. Precedence: options, then the environment, then settings, then defaults. */
export function agentSettings(
  options: SessionOptions,
  settings: LoadedSettings,
  environment: Readonly<Record<string, string>>,
): AgentSettings {
  return {
    ...fillSection(agents.section, settings.agents, environment),
    ...keepDefined(options.agentLimits ?? {}),
  };
}

/** The judge of the files that models get from the start on: memory, skills, agent files. */
export function openFileJudge(
  place: Surroundings,
  settings: LoadedSettings,
  options: Pick<SessionOptions, 'additionalDirectories'> = {},
  rules: readonly Rule[] = settings.rules,
): ReaderRefusals {
  const added = (options.additionalDirectories ?? []).map((path) => resolve(place.cwd, path));
  return openRefusals(place, settings, rules, added);
}

/** The permissions of the command line, and then those of files. */
export function readStartRules(
  options: SessionOptions,
  settings: LoadedSettings,
  place: Surroundings,
  own: readonly Tool[],
): Result<Rule[]> {
  const given = parseOptionRules(options, place, own);
  return given.ok ? ok([...given.value, ...settings.rules]) : given;
}

function parseOptionRules(
  { allowedTools = [], disallowedTools = [] }: SessionOptions,
  { cwd }: Surroundings,
  own: readonly Tool[],
): Result<Rule[]> {
  const place = { layer: 'cli' as const, base: cwd, others: own.map(({ name }) => name) };
  const allow = parseRules(allowedTools, {
    ...place,
    behaviour: 'allow',
    source: '--allowedTools',
  });
  if (!allow.ok) return allow;
  const deny = parseRules(disallowedTools, {
    ...place,
    behaviour: 'deny',
    source: '--disallowedTools',
  });
  return deny.ok ? ok([...allow.value, ...deny.value]) : deny;
}
