import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import { generalPurpose } from '../../src/agents/definitions/built-in.ts';
import { type LoadAgentsOptions, loadAgents } from '../../src/agents/definitions/load-agents.ts';

/** A custom definition that differs from a plain one as given. */
export function custom(given: Partial<AgentDefinition> = {}): AgentDefinition {
  return { ...generalPurpose, name: 'custom', source: 'user', ...given };
}

/** A world below one directory: `repo` with a folder `sub` in it, `home`, and what is managed. */
export function world(base: string) {
  const place = (path: string) => join(base, path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), text);
    return place(path);
  };
  mkdirSync(place('repo/sub'), { recursive: true });
  return {
    place,
    write,
    /** A small whole definition, whose prompt says where it stands. */
    agent: (path: string, name: string, more = '') =>
      write(path, `---\nname: ${name}\ndescription: does things\n${more}---\nI am ${path}\n`),
    load: (options: Partial<LoadAgentsOptions> = {}) =>
      loadAgents({
        cwd: place('repo/sub'),
        root: place('repo'),
        home: place('home/.cadre'),
        userHome: place('home'),
        managedDirectories: [place('etc')],
        ...options,
      }),
  };
}
