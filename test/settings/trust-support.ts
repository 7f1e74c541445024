import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { type LoadedSettings, loadSettings } from '../../src/settings/load.ts';
import type { SettingsLookup } from '../../src/settings/places.ts';
import { describeTrust, grantTrust, type TrustDescription } from '../../src/settings/trust/describe.ts';
import { temporaryDirectory } from '../support/index.ts';

/** One user, and a repository that somebody else wrote. */
export class Repository {
  readonly top = temporaryDirectory().path;
  readonly root = join(this.top, 'repository');
  readonly home = join(this.top, 'user/.cadre');
  readonly userHome = join(this.top, 'user');
  readonly clock = manualClock(Date.UTC(2031, 1, 3));
  cwd = this.root;

  constructor() {
    for (const directory of [this.root, this.userHome]) mkdirSync(directory, { recursive: true });
  }

  put(path: string, content: unknown, below = this.root): string {
    const file = join(below, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  place() {
    return { home: this.home, userHome: this.userHome, cwd: this.cwd, root: this.root };
  }

  async load(changes: Partial<SettingsLookup> = {}): Promise<LoadedSettings> {
    const loaded = await loadSettings({
      ...this.place(),
      sources: ['user', 'project', 'local'],
      trusted: false,
      managedDirectories: [],
      ...changes,
    });
    if (!loaded.ok) throw new Error(loaded.problem.message);
    return loaded.value;
  }

  async describe(): Promise<TrustDescription> {
    const described = await describeTrust(this.place());
    if (!described.ok) throw new Error(described.problem.message);
    return described.value;
  }

  /** What `cadre trust --yes` does. */
  async trust(): Promise<number> {
    const granted = await grantTrust(await this.describe(), this.place(), this.clock);
    if (!granted.ok) throw new Error(granted.problem.message);
    return granted.value;
  }

  async standings(): Promise<Record<string, string>> {
    const { pieces } = await this.describe();
    return Object.fromEntries(
      pieces.map(({ piece, standing }) => [
        piece.name === undefined ? piece.file : `${piece.file} ${piece.name}`,
        standing,
      ]),
    );
  }
}
