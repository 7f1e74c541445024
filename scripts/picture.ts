/** Makes docs/demo.svg from the real thing: the demo runs in tmux and its screen is drawn. Needs tmux and `npm run build`. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');
const columns = 104;
const rows = 140;
const session = `cadre-picture-${process.pid}`;

const styles: Record<string, string> = {
  '1': 'font-weight="bold"',
  '2': 'fill="#8a93a0"',
  '33': 'fill="#e5b567"',
  '36': 'fill="#5fc3d4"',
};

let active: string[] = [];
const screen = recordScreen();
writeFileSync(join(repository, 'docs', 'demo.svg'), draw(screen));
console.log('docs/demo.svg');

function recordScreen(): string[] {
  const command = `PS1= ${join(repository, 'dist/cadre')} demo; tmux wait-for -S ${session}; sleep 60`;
  tmux('new-session', '-d', '-s', session, '-x', String(columns), '-y', String(rows), command);
  tmux('wait-for', session);
  const text = tmux('capture-pane', '-t', session, '-p', '-e');
  tmux('kill-session', '-t', session);
  return text
    .replace(/cadre-demo-\w+/g, 'demo')
    .trimEnd()
    .split('\n');
}

function tmux(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('tmux', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
  return stdout;
}

function draw(lines: readonly string[]): string {
  const height = lines.length * 18 + 28;
  const text = lines.map((line, index) => `<text x="16" y="${index * 18 + 28}">${drawLine(line)}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${columns * 8 + 32}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.3" fill="#d4d8de" role="img" style="white-space: pre"><title>cadre demo, as it runs in a terminal</title><rect width="100%" height="100%" rx="8" fill="#16191f"/>
${text.join('\n')}
</svg>
`;
}

/** A style goes on until it is reset, also over the end of a line. */
function drawLine(line: string): string {
  const pieces = line.split(/\u001b\[([\d;]*)m/);
  return pieces
    .map((piece, index) => {
      if (index % 2 === 0)
        return piece === '' ? '' : `<tspan ${active.join(' ')}>${escapeText(piece)}</tspan>`;
      const codes = piece === '' ? ['0'] : piece.split(';');
      active = [...(codes.includes('0') ? [] : active), ...codes.flatMap((code) => styles[code] ?? [])];
      return '';
    })
    .join('');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0');
}
