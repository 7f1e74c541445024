import { boundText } from '../lib/text.ts';
import { type ImageBlock, textOf } from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { quote } from '../tools/shell-quote.ts';
import { statQuietly } from '../workspace/find-markdown.ts';
import { resolvePath } from '../workspace/paths.ts';
import type { SkillHands } from './expand-skill.ts';
import { labelled } from './label.ts';
import { mentionsIn } from './mentions.ts';

/** Something that a prompt names with `@path`, and that is there. */
export interface NamedFile {
  /** As it was written. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
}

const mostFiles = 10;
const largestPart = 30_000;

/** A word with an at sign that is no file stays a word. */
export function findNamedFiles(text: string, cwd: string, userHome: string): NamedFile[] {
  const names = mentionsIn(text).flatMap(({ kind, name }) => (kind === 'file' ? [name] : []));
  const found = [...new Set(names)].flatMap((name): NamedFile[] => {
    const stat = statQuietly(resolvePath(cwd, name, userHome));
    if (stat?.isFile()) return [{ name, kind: 'file' }];
    return stat?.isDirectory() ? [{ name, kind: 'directory' }] : [];
  });
  return found.slice(0, mostFiles);
}

/** What they hold, labelled: as calls of the agent that reads the prompt, judged like any other of its calls. */
export async function readNamedFiles(
  named: readonly NamedFile[],
  hands: SkillHands,
): Promise<{ texts: string[]; images: ImageBlock[] }> {
  const texts: string[] = [];
  const images: ImageBlock[] = [];
  for (const { name, kind } of named) {
    const path = resolvePath(hands.cwd, name, hands.userHome);
    const result =
      kind === 'file' ? await hands.read(path) : await hands.run(`ls -1Ap -- ${quote(path)}`, {});
    texts.push(labelled(kind, { path }, shown(result)));
    images.push(...result.content.filter((block) => block.type === 'image'));
  }
  return { texts, images };
}

function shown({ content, isError }: ToolResult): string {
  const text = boundText(textOf(content), largestPart);
  return isError ? `[${text}]` : text;
}
