import { join } from 'node:path';
import type { Finder } from '../types.ts';

export const findRust: Finder = (directory, listing) => {
  const names = listing.names(directory);
  if (!names.includes('Cargo.toml')) return [];
  const place = { cwd: directory, source: join(directory, 'Cargo.toml') };
  const types = 'cargo check --all-targets';
  const lint = 'cargo clippy --all-targets';
  return [
    {
      ...{ name: 'types', command: types, ...place },
      reporting: { command: `${types} --message-format json`, format: 'cargo' },
    },
    // Without `-D warnings` clippy ends with 0 whatever it finds.
    {
      ...{ name: 'lint', command: `${lint} -- -D warnings`, ...place },
      reporting: { command: `${lint} --message-format json -- -D warnings`, format: 'cargo' },
    },
    {
      ...{ name: 'tests', command: 'cargo test', ...place },
      reporting: { command: 'cargo test', format: 'cargo-test' },
    },
    ...(names.some((name) => name === 'audit.toml' || name === 'deny.toml')
      ? [
          names.includes('deny.toml')
            ? {
                name: 'security' as const,
                command: 'cargo deny check',
                ...place,
                source: join(directory, 'deny.toml'),
              }
            : {
                ...{ name: 'security' as const, command: 'cargo audit', ...place },
                source: join(directory, 'audit.toml'),
                reporting: { command: 'cargo audit --json', format: 'cargo-audit' as const },
              },
        ]
      : []),
  ];
};
