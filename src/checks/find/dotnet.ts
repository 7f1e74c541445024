import { join } from 'node:path';
import type { Finder } from '../types.ts';

export const findDotnet: Finder = (directory, listing) => {
  const file = listing.names(directory).find((name) => /\.(?:slnx?|[cf]sproj)$/.test(name));
  if (file === undefined) return [];
  const place = { cwd: directory, source: join(directory, file) };
  return [
    { name: 'types', command: 'dotnet build --nologo', ...place },
    { name: 'lint', command: 'dotnet format --verify-no-changes', ...place },
    { name: 'tests', command: 'dotnet test --nologo', ...place },
    // It ends with 0 whatever it finds, so it is not a check by itself.
  ];
};
