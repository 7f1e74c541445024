import { visible, visibleLine } from '../../lib/text/text.ts';
import type { TrustedRepositories } from '../../settings/trust/file.ts';
import type { DescribedPiece, TrustDescription } from './repository-trust.ts';

const maxValueLength = 64 * 1024;
const maxTextLength = 256 * 1024;

/** For a user who is about to decide. */
export interface TrustText {
  text: string;
  /** False if not all of it could be shown: then it cannot be asked about either. */
  isWhole: boolean;
}

/** File by file, every value whole, without characters that could move or hide others. */
export function renderDescription({ root, pieces, problems, damage }: TrustDescription): TrustText {
  const heading = `${visibleLine(root, 1000)} asks you to trust:`;
  const { parts, isWhole } = renderPieces(pieces);
  const notes = [
    ...(damage ? [`${damage.message} ${damage.hint ?? ''}`.trim()] : []),
    ...problems.slice(0, 50).map((problem) => `Not applied because its effect is unknown: ${problem}`),
    ...(problems.length > 50 ? [`… and ${problems.length - 50} more files that are not applied.`] : []),
  ];
  const shown = [
    ...(parts.length > 0 ? [heading] : []),
    ...parts,
    ...notes.map((note) => visibleLine(note, 2000)),
  ];
  return { text: shown.map((part) => `${part}\n`).join('\n'), isWhole };
}

function renderPieces(pieces: readonly DescribedPiece[]): { parts: string[]; isWhole: boolean } {
  const parts: string[] = [];
  let room = maxTextLength;
  for (const [index, piece] of pieces.entries()) {
    const part = renderPiece(piece);
    room -= part.length;
    const isCut = piece.entries.some(({ value }) => value.length > maxValueLength);
    if (room < 0 || isCut)
      return {
        parts: [...parts, `… and ${pieces.length - index} more, too long to show here.`],
        isWhole: false,
      };
    parts.push(part);
  }
  return { parts, isWhole: true };
}

function renderPiece(described: DescribedPiece): string {
  const { piece, standing, entries, gone } = described;
  const names = entries.map(({ key }) => visibleLine(key, 1000));
  const width = names.reduce((widest, name) => Math.min(44, Math.max(widest, name.length)), 0);
  const rows = entries.map(({ value, isNew }, index) => {
    const mark = standing === 'changed' && isNew ? '+' : ' ';
    return `${mark} ${(names[index] ?? '').padEnd(width)}  ${renderValue(value)}`;
  });
  return [
    `${formatPieceName(described)}: ${standings[standing](piece.leadsTo ?? '')}`,
    ...rows,
    ...(gone > 0 ? [`- ${gone} ${gone === 1 ? 'line was' : 'lines were'} removed`] : []),
  ].join('\n');
}

const standings: Record<DescribedPiece['standing'], (leadsTo: string) => string> = {
  new: () => 'not trusted yet',
  changed: () => 'changed since you trusted it; + marks what is new',
  trusted: () => 'trusted',
  refused: (leadsTo) =>
    leadsTo === ''
      ? 'cannot be trusted: it is nested too deeply'
      : `cannot be trusted: it points outside the repository, to ${visibleLine(leadsTo, 1000)}`,
};

function formatPieceName({ piece: { kind, file, name } }: DescribedPiece): string {
  const part = name === undefined ? '' : ` ${JSON.stringify(visibleLine(name, 200))}`;
  return `${visibleLine(file, 1000)} (${kind.replace('-', ' ')}${part})`;
}

/** Lines of a value stay inside it: none can pass for one of ours. */
function renderValue(value: string): string {
  const lines = visible(value).split('\n');
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
