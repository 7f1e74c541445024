import type { Memory } from '../knowledge/memory.ts';
import { renderMemoryFile } from '../knowledge/prompt.ts';
import type { Skill } from '../knowledge/skill.ts';
import type { Tool } from '../protocol/index.ts';
import { skillNotes } from './settle-skills.ts';

/** Makes tools bring along what is to be known about the files they touch. Most sessions have nothing of that kind. */
export async function pathNoter(
  { byPath }: Memory,
  skills: readonly Skill[],
  root: string,
): Promise<(tool: Tool) => Tool> {
  const notes = [
    ...byPath.map((rule) => ({
      patterns: rule.patterns,
      file: rule.path,
      text: renderMemoryFile(rule),
    })),
    ...skillNotes(skills),
  ];
  if (notes.length === 0) return (tool) => tool;
  const { PathNotes, withPathNotes } = await import('../knowledge/path-notes.ts');
  const given = new PathNotes(notes, root);
  return (tool) => withPathNotes(tool, given);
}
