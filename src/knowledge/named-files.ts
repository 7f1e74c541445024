import { quote } from '../lib/shell-quote.ts';
import { boundText } from '../lib/text/text.ts';
import { type ImageBlock, textOf } from '../protocol/message.ts';
import type { ToolResult } from '../protocol/tool.ts';
import { statQuietly } from '../workspace/find-markdown.ts';
import { resolvePath } from '../workspace/paths.ts';
import type { SkillHands } from './expand-skill.ts';
import { labelled } from './label.ts';
import { findMentions } from './mentions.ts';

/** Something that a prompt names with `@path`. */
export interface NamedFile {
  /** As it was written. */
  readonly name: string;
  /** `missing`: it looks like a path, and no such file exists. */
  readonly kind: 'file' | 'directory' | 'missing';
}

const maxFiles = 10;
const maxPartSize = 30_000;

/** Other words with an at sign (`@alice`, `@types/node`) stay words. */
export function findNamedFiles(text: string, cwd: string, userHome: string): NamedFile[] {
  const names = findMentions(text).flatMap(({ kind, name }) => (kind === 'file' ? [name] : []));
  const found = [...new Set(names)].flatMap((name): NamedFile[] => {
    const stat = statQuietly(resolvePath(cwd, name, userHome));
    if (stat?.isFile()) return [{ name, kind: 'file' }];
    if (stat?.isDirectory()) return [{ name, kind: 'directory' }];
    return !stat && looksLikePath(name, cwd) ? [{ name, kind: 'missing' }] : [];
  });
  return found.slice(0, maxFiles);
}

/** By its extension, by how it starts, or by a directory that exists. */
function looksLikePath(name: string, cwd: string): boolean {
  if (/^(?:\.{0,2}|~)\//.test(name) || /[^/.]\.[A-Za-z][A-Za-z0-9]{0,7}$/.test(name)) return true;
  const [first = '', ...rest] = name.split('/');
  return rest.length > 0 && statQuietly(resolvePath(cwd, first, cwd))?.isDirectory() === true;
}

/** Their content, labelled: read by calls of the agent that gets the prompt, judged like its other calls. */
export async function readNamedFiles(
  named: readonly NamedFile[],
  hands: SkillHands,
): Promise<{ texts: string[]; images: ImageBlock[] }> {
  const texts: string[] = [];
  const images: ImageBlock[] = [];
  for (const { name, kind } of named) {
    if (kind === 'missing') continue;
    const path = resolvePath(hands.cwd, name, hands.userHome);
    const result =
      kind === 'file' ? await hands.read(path) : await hands.run(`ls -1Ap -- ${quote(path)}`, {});
    texts.push(labelled(`cadre-${kind}`, { path }, shown(result)), ...(result.notes ?? []));
    images.push(...result.content.filter((block) => block.type === 'image'));
  }
  return { texts, images };
}

function shown({ content, isError }: ToolResult): string {
  const text = boundText(textOf(content), maxPartSize);
  return isError ? `[${text}]` : text;
}
