import { join } from 'node:path';
import type { Finder } from '../types.ts';

export const findGo: Finder = (directory, listing) => {
  const names = listing.names(directory);
  if (!names.includes('go.mod')) return [];
  const place = { cwd: directory, source: join(directory, 'go.mod') };
  const golangci = names.find((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name));
  return [
    { name: 'types', command: 'go build ./...', ...place },
    golangci === undefined
      ? { name: 'lint', command: 'go vet ./...', ...place }
      : { name: 'lint', command: 'golangci-lint run', cwd: directory, source: join(directory, golangci) },
    {
      ...{ name: 'tests', command: 'go test ./...', ...place },
      reporting: { command: 'go test -json ./...', format: 'go-test' },
    },
  ];
};
