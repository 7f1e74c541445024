import { visibleLine } from '../lib/text.ts';
import { matchesToolName } from '../permissions/names.ts';
import type { Model, Rule, Thinking, Tool } from '../protocol/index.ts';
import { isMcpToolName } from '../protocol/tool-names.ts';
import type { HeldSetting, LoadedSettings } from '../settings/load.ts';
import { isDirectory } from './check-options.ts';

/** What the settings ask for and do not get. */
export function settingsNotices(settings: LoadedSettings): string[] {
  const named = (entries: { key: string; file: string }[]) =>
    entries.map((entry) => `${entry.key} (${entry.file})`).join(', ');
  const held = byFile(settings.held.filter((entry) => entry.liftedBy === 'trust'));
  const links = byFile(settings.held.filter((entry) => entry.leadsTo !== undefined));
  const ignored = named(
    settings.held.filter((entry) => entry.liftedBy === 'nothing' && entry.leadsTo === undefined),
  );
  const unheeded = named(settings.unheeded);
  return [
    ...(held ? [`Held until you trust this repository: ${held}. ${howToTrust}`] : []),
    ...(links ? [`Held, since no link out of the repository has power: ${links}.`] : []),
    ...(settings.trustProblem ? [settings.trustProblem] : []),
    ...(ignored ? [`Ignored, since no repository may ask for it: ${ignored}.`] : []),
    ...(unheeded ? [`This version does not act on: ${unheeded}. Do not rely on them.`] : []),
  ];
}

/** A directory may be made later; more likely it is misspelt. */
export function directoryNotices({ permissions, origin }: LoadedSettings): string[] {
  return permissions.additionalDirectories
    .filter((path) => !isDirectory(path))
    .map((path) => {
      const key = 'permissions.additionalDirectories';
      const file = origin.get(`${key}.${path}`)?.file ?? 'settings';
      return `${key} (${file}): ${visibleLine(path, 500)} is not a directory.`;
    });
}

const howToTrust = 'cadre trust shows it and asks; --trust lets it take effect in this run.';

/** `env, model (/repo/.cadre/settings.json, changed since you trusted it)` */
function byFile(held: readonly HeldSetting[]): string {
  const files = [...new Set(held.map((entry) => entry.file))];
  return files
    .map((file) => {
      const entries = held.filter((entry) => entry.file === file);
      const { changed, leadsTo } = entries[0] ?? {};
      const where = `${file}${leadsTo === undefined ? '' : ` → ${leadsTo}`}`;
      const since = changed ? ', changed since you trusted it' : '';
      return `${entries.map((entry) => entry.key).join(', ')} (${visibleLine(where, 500)}${since})`;
    })
    .join('; ');
}

/** A rule that names no tool protects from nothing: most likely it is misspelt. */
export function toolNotices(rules: readonly Rule[], tools: readonly Tool[]): string[] {
  const unknown = rules.filter(
    (rule) =>
      rule.layer === 'cli' &&
      !isMcpToolName(rule.tool) &&
      !laterTools.includes(rule.tool) &&
      !tools.some((tool) => matchesToolName(rule.tool, tool.name)),
  );
  return unknown.map((rule) => `${rule.source}: there is no tool "${rule.tool}".`);
}

/** Names that people's files use and that this version does not have yet. */
const laterTools = [
  'Agent',
  // No tool, but what a shell does.
  'Cd',
  'Skill',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'Workflow',
  'SendMessage',
];

/** What is asked for and cannot be had is said, never changed in silence. */
export function thinkingNotices(wanted: Thinking | undefined, { id, facts }: Model): string[] {
  if (!wanted || !facts.known || facts.thinking.includes(wanted.type)) return [];
  if (facts.thinking.length === 0)
    return wanted.type === 'off' ? [] : [`${id} does not think; it is asked without.`];
  if (wanted.type === 'off') return [`${id} always thinks; it is asked to think as little as it can.`];
  if (wanted.type === 'adaptive')
    return [`${id} thinks within a budget only; half of its answer may be thinking.`];
  return [`${id} decides by itself how much it thinks; the token budget for thinking is not used.`];
}
