import { visibleLine } from '../../lib/text/text.ts';

/** The parts of a page, with a blank line between them. */
export function joinSections(sections: readonly string[]): string {
  return `${sections.join('\n\n')}\n`;
}

/** A title with indented lines below it; nothing where there are no lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : [[title, ...lines.map((line) => `  ${visibleLine(line, 1_000)}`)].join('\n')];
}

/** Files that cannot be used, one per line. */
export function describeBroken(
  broken: readonly { file: string; line?: number | undefined; reason: string }[],
): string[] {
  return broken.map(({ file, line, reason }) => `${file}${line === undefined ? '' : `:${line}`}: ${reason}`);
}
