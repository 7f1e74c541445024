import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePages } from './pages.ts';

for (const { file, before, after } of writePages(join(import.meta.dirname, '..', '..')))
  if (before !== after) {
    writeFileSync(file, after);
    console.log(`written: ${file}`);
  }
