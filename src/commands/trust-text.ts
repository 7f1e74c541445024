import { boundText, visible, visibleLine } from '../lib/text.ts';
import type { DescribedPiece, TrustDescription } from '../session/trust.ts';
import type { TrustedRepositories } from '../settings/trust/file.ts';

const longestValue = 8_000;
const mostEntries = 500;

/** For a person who is about to decide: file by file, every value whole, nothing that could move or hide a character. */
export function renderDescription({ root, pieces, problems, damage }: TrustDescription): string {
  const heading = `What ${visibleLine(root, 1000)} asks for beyond what only narrows:`;
  const asked = pieces.length === 0 ? [] : [heading, ...pieces.map(renderPiece)];
  const notes = [
    ...(damage ? [`${damage.message} ${damage.hint ?? ''}`.trim()] : []),
    ...problems.map((problem) => `Without power, since it cannot be told what it would do: ${problem}`),
  ];
  return [...asked, ...notes.map((note) => visibleLine(note, 2000))].map((part) => `${part}\n`).join('\n');
}

function renderPiece(described: DescribedPiece): string {
  const { piece, standing, entries, gone } = described;
  const shown = entries.slice(0, mostEntries);
  const width = Math.min(44, Math.max(...shown.map(({ key }) => visibleLine(key, 200).length)));
  const rows = shown.map(({ key, value, isNew }) => {
    const mark = standing === 'changed' && isNew ? '+' : ' ';
    return `${mark} ${visibleLine(key, 200).padEnd(width)}  ${renderValue(value)}`;
  });
  const left = entries.length - shown.length;
  return [
    `${nameOf(described)}: ${standings[standing](piece.leadsTo ?? '')}`,
    ...rows,
    ...(left > 0 ? [`  … and ${left} more lines, which are not shown here: look into the file`] : []),
    ...(gone > 0 ? [`- ${gone} ${gone === 1 ? 'line is' : 'lines are'} no longer there`] : []),
  ].join('\n');
}

const standings: Record<DescribedPiece['standing'], (leadsTo: string) => string> = {
  new: () => 'not trusted yet',
  changed: () => 'changed since you trusted it; + is new',
  trusted: () => 'trusted',
  refused: (leadsTo) =>
    leadsTo === ''
      ? 'cannot be trusted: it is nested too deep'
      : `cannot be trusted: it leads out of the repository, to ${visibleLine(leadsTo, 1000)}`,
};

function nameOf({ piece: { kind, file, name } }: DescribedPiece): string {
  const part = name === undefined ? '' : ` ${JSON.stringify(visibleLine(name, 200))}`;
  return `${visibleLine(file, 1000)} (${kind.replace('-', ' ')}${part})`;
}

/** Lines of a value stay inside of it: none can pass for a line of ours. */
function renderValue(value: string): string {
  const lines = visible(boundText(value, longestValue)).split('\n');
  return lines.length === 1 ? (lines[0] ?? '') : `\n${lines.map((line) => `    | ${line}`).join('\n')}`;
}

export function renderTrusted(repositories: TrustedRepositories): string {
  if (repositories.size === 0) return 'No repository is trusted.\n';
  const parts = [...repositories].map(([root, pieces]) => {
    const rows = pieces.map(({ kind, file, name, trustedAt }) => {
      const part = name === undefined ? '' : ` ${JSON.stringify(name)}`;
      return `  ${trustedAt.slice(0, 10)}  ${visibleLine(`${file} (${kind.replace('-', ' ')}${part})`, 1000)}`;
    });
    return [visibleLine(root, 1000), ...rows].join('\n');
  });
  return `${parts.join('\n')}\n`;
}
