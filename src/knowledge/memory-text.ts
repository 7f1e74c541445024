import { visible } from '../lib/text/text.ts';

/** A memory file's text, prepared for a prompt, and the files it names with `@path`. */
export interface MemoryText {
  text: string;
  imports: string[];
  /** True if the file contains only imports. */
  onlyImports: boolean;
}

/**
 * Strips comments on separate lines, makes control characters visible, and finds imports. Code, in blocks and in spans,
 * is kept as it is and imports nothing. One pass over the lines.
 */
export function readMemoryText(source: string): MemoryText {
  const kept: string[] = [];
  const imports: string[] = [];
  let fence: string | undefined;
  let inComment = false;
  for (const line of source
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')) {
    if (inComment) {
      inComment = !line.includes('-->');
      continue;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else if (line.trimStart().startsWith('<!--')) {
      const end = line.indexOf('-->');
      inComment = end < 0;
      const rest = end < 0 ? '' : line.slice(end + 3);
      if (rest.trim() === '') continue;
    } else imports.push(...findImports(line));
    kept.push(line);
  }
  const text = visible(kept.join('\n')).trim();
  return {
    text,
    imports,
    onlyImports: text !== '' && text.split(/\s+/).every((word) => word.startsWith('@')),
  };
}

function findImports(line: string): string[] {
  const prose = line.replace(/(`+)[^`]*\1/g, ' ');
  return [...prose.matchAll(/(?:^|[\s(])@([^\s`]+)/g)].flatMap(([, name]) => {
    const path = name?.replace(/[.,;:!?)\]}'"]+$/, '') ?? '';
    return path === '' ? [] : [path];
  });
}
