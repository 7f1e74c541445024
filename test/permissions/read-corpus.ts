import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One command a line; a line that ends in `<<EOF` goes on to the line `EOF`; `\x0d` and the like are characters. */
export function readCorpus(name: string): string[] {
  const lines = readFileSync(join(import.meta.dirname, 'corpus', name), 'utf8').split('\n');
  const commands: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    let line = lines[at] ?? '';
    if (line === '' || line.startsWith('## ')) continue;
    if (/<<-?['"]?EOF/.test(line))
      while (lines[++at] !== undefined) {
        line += `\n${lines[at]}`;
        if (lines[at] === 'EOF') break;
      }
    commands.push(
      line.replace(/⟪(\w+)⟫/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))),
    );
  }
  return commands;
}
