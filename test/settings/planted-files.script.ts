import { isLockOurs } from '../../src/landing/moving/index-lock.ts';
import { readJournal } from '../../src/landing/moving/journal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openAuthStore } from '../../src/mcp/auth-store.ts';
import type { ServerConfig } from '../../src/mcp/config.ts';
import { openPins } from '../../src/mcp/pins.ts';
import { openKeyStore } from '../../src/models/keys.ts';
import { openProviderDirectory } from '../../src/models/providers/directory.ts';
import { parsePackageSpec } from '../../src/models/providers/package.ts';
import { readTrustFile } from '../../src/settings/trust/file.ts';

// Prints what is made of a file in a directory, by whoever reads it.
const [home = '', file = ''] = process.argv.slice(2);
const server: ServerConfig = {
  name: 'x',
  transport: { type: 'stdio', command: 'x', args: [], env: {} },
  scope: 'user',
  source: 'x',
};
const held = { gitDirectory: home, id: 'x' } as Parameters<typeof isLockOurs>[0];

const readers: Readonly<Record<string, () => unknown>> = {
  'keys.json': () => openKeyStore(home).readKey('anthropic'),
  'providers/providers.json': () => openProviderDirectory(home).list(),
  'package.json': () => parsePackageSpec(home, '/'),
  'trust.json': () => readTrustFile(home).damage?.kind,
  'mcp-auth.json': () => openAuthStore(home, systemClock).read('https://example.com') ?? 'nothing',
  'mcp-pins.json': () => openPins(home, systemClock).known(server)?.doubt,
  'index.lock': () => isLockOurs(held),
  'journal.json': () => readJournal(`${home}/journal.json`) ?? 'nothing',
};
console.log(JSON.stringify(readers[file]?.()));
