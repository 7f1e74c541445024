import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeFileError } from '../../lib/files/files.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';
import { nearNames } from '../../lib/text/near-names.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { FlagsOf } from '../table/commands.ts';
import { listManualPages, listPages, type ManualPage } from './list-pages.ts';
import { renderManualPage } from './man-page.ts';

/** `cadre man [PAGE]`: one manual page as roff, or all of them written below a directory. */
export function printManual(page: string | undefined, { write }: FlagsOf<'man'>): Result<string> {
  if (write === undefined) {
    const found = findPage(page);
    return found.ok ? ok(renderManualPage(found.value)) : found;
  }
  const place = resolve(write);
  const written = writeManual(place);
  return written.ok ? ok(`Wrote ${written.value} pages to ${place}/man1 and ${place}/man7.\n`) : written;
}

/** Writes every page as man(1) looks for them, and says how many. */
export function writeManual(directory: string): Result<number> {
  const pages = listManualPages();
  for (const page of pages) {
    const place = join(directory, `man${page.section}`);
    const file = join(place, `${page.name}.${page.section}`);
    try {
      mkdirSync(place, { recursive: true });
      writeFileSync(file, renderManualPage(page));
    } catch (error) {
      return fail(describeFileError(error, file, 'write'));
    }
  }
  return ok(pages.length);
}

/** A topic's page before a command's of the same name, as `cadre help` does; `NAME.1` is the command's. */
function findPage(word = 'cadre'): Result<ManualPage> {
  const [, name = word, section] = /^(.*)\.([17])$/.exec(word) ?? [];
  const pages = listManualPages().filter((page) => page.name === name || page.name === `cadre-${name}`);
  const page = section === undefined ? pages.at(-1) : pages.find((one) => `${one.section}` === section);
  if (page) return ok(page);
  const [near] = nearNames(
    word,
    listPages().map(({ value }) => value),
  );
  return usage(
    `There is no manual page "${visibleLine(word, 60)}".`,
    near === undefined ? 'cadre --help lists the commands and topics.' : `Did you mean "${near}"?`,
  );
}
