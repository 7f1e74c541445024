import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ground } from './attacker-ground.ts';
import type { Servers } from './attacker-servers.ts';

export interface HostileCommand {
  command: string;
  /** All but what would only use up the machine. */
  runs: boolean;
  /** It only reads where it should not, which is asked about and not refused. */
  isReading: boolean;
  /** Run in reduced proofs too: what only a look at the whole machine can show. */
  isAlways: boolean;
}

/** The corpora of the permission tests, with the places of this machine in them. */
export function readCommands(at?: { ground: Ground; servers: Servers }): HostileCommand[] {
  return ['hostile.txt', 'attacks.txt'].flatMap((name) =>
    readFileSync(join(import.meta.dirname, '../permissions/corpus', name), 'utf8')
      .split(/^## /m)
      .flatMap((section) => {
        const [title = '', ...lines] = section.split('\n');
        const runs = !title.startsWith('fork bombs');
        const isReading = title.startsWith('reads outside');
        const isAlways = /^the machine as a whole|secrets in places/.test(title);
        return joined(lines).map((line) => ({ command: filled(line, at), runs, isReading, isAlways }));
      }),
  );
}

/** A line with `<<EOF` goes on to the line `EOF`. */
function joined(lines: readonly string[]): string[] {
  const commands: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    let line = lines[index] ?? '';
    if (line === '') continue;
    if (/<<-?['"]?EOF/.test(line))
      while (lines[++index] !== undefined) {
        line += `\n${lines[index]}`;
        if (lines[index] === 'EOF') break;
      }
    commands.push(line);
  }
  return commands;
}

function filled(line: string, at: { ground: Ground; servers: Servers } | undefined): string {
  const values: Record<string, string> = {
    SIBLING: at?.ground.sibling ?? '/home/u/sibling',
    SOCK: at?.servers.socket ?? '/run/docker.sock',
    ABSTRACT: at?.servers.abstract ?? 'bus',
    TCP: String(at?.servers.tcp ?? 4711),
    UDP: String(at?.servers.udp ?? 4712),
  };
  return line
    .replace(/⟪(\w+)⟫/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/@([A-Z]+)@/g, (whole, name: string) => values[name] ?? whole);
}
