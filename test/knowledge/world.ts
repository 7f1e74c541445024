import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSkills } from '../../src/knowledge/load-skills.ts';
import type { DefinitionPlacesOptions } from '../../src/settings/definition-places.ts';
import { temporaryDirectory } from '../support/index.ts';

/** A repository with a folder in it, a home, and what is managed, below one directory. */
export function world() {
  const { path: base } = temporaryDirectory();
  const place = (path: string) => join(base, path);
  const options: DefinitionPlacesOptions = {
    cwd: place('repo/sub'),
    root: place('repo'),
    home: place('home/.cadre'),
    userHome: place('home'),
    managedDirectories: [place('etc')],
  };
  mkdirSync(place('repo/sub'), { recursive: true });
  return {
    place,
    options,
    write(path: string, text: string): string {
      mkdirSync(dirname(place(path)), { recursive: true });
      writeFileSync(place(path), text);
      return place(path);
    },
    load: (more: Partial<DefinitionPlacesOptions> = {}) => loadSkills({ ...options, ...more }),
  };
}
