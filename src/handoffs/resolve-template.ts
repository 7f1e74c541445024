import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { HandoffFileKind } from './built-in.ts';
import type { HandoffTemplate } from './file-types.ts';
import type { HandoffLibrary } from './load-library.ts';

/** A template with everything that it names. */
export interface ResolvedTemplate {
  template: HandoffTemplate;
  /** Of its profile and its own; held at execution by the agent's role. */
  tools: readonly string[];
  /** The instructions of the agent. */
  system: string;
}

/** Fails if the template, its profile or a protocol is missing or broken: nothing else is used in its place. */
export function resolveTemplate(library: HandoffLibrary, name: string): Result<ResolvedTemplate> {
  const template = find(library, 'templates', library.templates, name);
  if (!template.ok) return template;
  const profile = find(library, 'profiles', library.profiles, template.value.profile);
  if (!profile.ok) return profile;
  const tools = [...new Set([...profile.value.tools, ...template.value.moreTools])];
  const bodies = [template.value.body];
  for (const protocol of tools.includes('Agent') ? ['handoff', 'orchestration'] : ['handoff']) {
    const found = find(library, 'protocols', library.protocols, protocol);
    if (!found.ok) return found;
    bodies.push(found.value.body);
  }
  return ok({ template: template.value, tools, system: bodies.join('\n\n') });
}

function find<T>(
  { broken }: HandoffLibrary,
  kind: HandoffFileKind,
  files: ReadonlyMap<string, T>,
  name: string,
): Result<T> {
  const found = files.get(name);
  if (found !== undefined) return ok(found);
  const fault = broken.find((one) => one.kind === kind && one.name === name);
  const word = kind.slice(0, -1);
  if (fault)
    return usage(
      `${fault.file}${fault.line === undefined ? '' : `:${fault.line}`}: ${fault.reason}`,
      `Fix the ${word}, or delete the file to use the next one of that name.`,
    );
  return usage(`Unknown ${word} "${visibleLine(name, 100)}".`, suggest(name, [...files.keys()]));
}

function suggest(name: string, names: readonly string[]): NonNullable<Problem['hint']> {
  const [near] = nearNames(name, names);
  return near === undefined ? `Available: ${names.join(', ')}.` : `Did you mean ${near}?`;
}
