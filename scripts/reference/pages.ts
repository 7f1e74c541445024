import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderCommands, renderMainFlags } from './cli-page.ts';
import { replacePart } from './markdown.ts';
import { renderSdk } from './sdk-page.ts';
import { renderSettings } from './settings-page.ts';

export interface WrittenPage {
  file: string;
  before: string;
  after: string;
}

/** Pages with parts that are made from the tables in `src/`, as they are and as they should be. */
export function writePages(repository: string): WrittenPage[] {
  const pages: Record<string, Record<string, () => string>> = {
    'docs/settings.md': { settings: renderSettings },
    'docs/cli.md': { flags: renderMainFlags, commands: renderCommands },
    'docs/headless.md': { sdk: renderSdk },
  };
  return Object.entries(pages).map(([name, parts]) => {
    const file = join(repository, name);
    const before = readFileSync(file, 'utf8');
    const after = Object.entries(parts).reduce(
      (page, [part, render]) => replacePart(page, part, render()),
      before,
    );
    return { file, before, after };
  });
}
