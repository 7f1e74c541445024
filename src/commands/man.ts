import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import { describeFileError } from '../lib/files/files.ts';
import { fail, ok, type Result, usage } from '../lib/result.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import { listManualPages, listPages, type ManualPage } from './help/list-pages.ts';
import { renderManualPage } from './help/man-page.ts';
import type { FlagsOf } from './table/commands.ts';

/** `cadre man [PAGE]`: one manual page as roff, or all of them written below a directory. */
export async function printManual(page: string | undefined, { write }: FlagsOf<'man'>): Promise<number> {
  const io = processIo();
  if (write !== undefined) {
    const written = writeManual(resolve(write));
    if (!written.ok) return complain(io, written.problem);
    const place = resolve(write);
    return (await io.writeOut(`Wrote ${written.value} pages to ${place}/man1 and ${place}/man7.\n`)) ? 0 : 1;
  }
  const found = findPage(page);
  if (!found.ok) return complain(io, found.problem);
  return (await io.writeOut(renderManualPage(found.value))) ? 0 : 1;
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
