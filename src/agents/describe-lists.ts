import { visibleLine } from '../lib/text.ts';
import type { AgentDefinition } from './definition.ts';

/** A definition's own lists in a few words, for people. */
export function describeLists({ tools, disallowedTools }: AgentDefinition): string {
  const granted = tools === '*' ? 'all tools' : tools.join(', ') || 'no tools';
  const but = disallowedTools.length > 0 ? ` but ${disallowedTools.join(', ')}` : '';
  return visibleLine(granted + but, 300);
}
