import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Turn } from '../../src/testing/index.ts';
import { type Opened, open, type Place, place } from '../session/support.ts';

/** A working directory with scripts of the test's own in it, and hooks in the user's settings. */
export interface Bench {
  at: Place;
  /** Writes a bash script and returns its path. */
  script(name: string, body: string): string;
  /** What scripts left behind, line by line. */
  lines(name: string): string[];
  path(name: string): string;
  settings(value: object): void;
  hooks(value: object): void;
}

export function bench(): Bench {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.home, { recursive: true });
  const path = (name: string) => join(at.cwd, '..', name);
  return {
    at,
    path,
    script(name, body) {
      const file = path(name);
      writeFileSync(file, `#!/bin/bash\n${body}\n`);
      chmodSync(file, 0o755);
      return file;
    },
    lines: (name) =>
      existsSync(path(name))
        ? readFileSync(path(name), 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [],
    settings: (value) => writeFileSync(join(at.home, 'settings.json'), JSON.stringify(value)),
    hooks: (value) => writeFileSync(join(at.home, 'settings.json'), JSON.stringify({ hooks: value })),
  };
}

/** One hook of type command at an event. */
export function on(command: string, more: object = {}, matcher?: string): object[] {
  return [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, ...more }] }];
}

/** A script's way to answer with JSON. */
export function printing(value: object): string {
  return `cat > /dev/null; printf '%s' '${JSON.stringify(value).replaceAll("'", `'\\''`)}'`;
}

export function specific(event: string, fields: object): string {
  return printing({ hookSpecificOutput: { hookEventName: event, ...fields } });
}

export function openBench(b: Bench, turns: Turn[], options: SessionOptions = {}): Promise<Opened> {
  return open(b.at, turns, options);
}

export function of<Type extends AgentEvent['type']>(events: AgentEvent[], type: Type) {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
}

export function notices(events: AgentEvent[]): string {
  return of(events, 'notice_given')
    .map(({ text }) => text)
    .join('\n');
}

export function results(events: AgentEvent[]): string[] {
  return of(events, 'message_added').flatMap(({ record }) =>
    record.type === 'user'
      ? record.message.content.flatMap((block) =>
          block.type === 'tool_result'
            ? [block.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')]
            : [],
        )
      : [],
  );
}
