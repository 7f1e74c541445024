import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import { SyncBatch } from '../../src/lib/sync-batch.ts';
import type { FileHistoryRecord } from '../../src/protocol/record.ts';
import { openFileLedger } from '../../src/store/files/file-ledger.ts';
import { readKept } from '../../src/store/files/kept-bytes.ts';
import { readSeen } from '../../src/store/files/present-file.ts';
import { putBack } from '../../src/store/files/put-back.ts';
import { type FilePlan, planFiles } from '../../src/store/files/rewind-files.ts';
import { temporaryDirectory } from '../support/index.ts';
import { mustHave } from './build.ts';

/** A project whose files are edited, changed by commands and brought back. */
export function create(earlier: FileHistoryRecord[] = [], root = temporaryDirectory().path) {
  const project = join(root, 'project');
  const directory = join(root, 'history');
  mkdirSync(project, { recursive: true });
  const records: FileHistoryRecord[] = [...earlier];
  const append = (record: FileHistoryRecord) => ok(void records.push(record));
  const ledger = openFileLedger({ directory, append, clock: manualClock(0), earlier });
  const file = (name: string) => join(project, name);
  const edit = async (name: string, text: string) => {
    const path = file(name);
    const before = existsSync(path) ? readFileSync(path) : null;
    const mode = before ? { mode: statSync(path).mode & 0o777 } : {};
    mustHave(await ledger.keep(path, before, 'c1', { after: Buffer.from(text), ...mode }));
    writeFileSync(path, text);
  };
  const shell = (act: () => void) => {
    ledger.observe?.('outside', 's1');
    act();
    ledger.observe?.('shell', 's1');
  };
  const plan = (from = 0, more: { force?: boolean } = {}) =>
    planFiles(
      records,
      { place: from, at: '9999' },
      { directory, roots: [project], apart: () => undefined, ...more },
      (id) => goals.get(id),
    );
  const goals = new Map<string, number>();
  const goBack = async (from = 0, more: { force?: boolean } = {}) => {
    const plans = plan(from, more);
    const id = `r${goals.size + 1}`;
    goals.set(id, from);
    for (const one of plans) if (one.action === 'restore' || one.action === 'remove') await put(one, id);
    return Object.fromEntries(plans.map(({ path, action }) => [path.slice(project.length + 1), action]));
  };
  const put = async ({ path, target, mode, present }: FilePlan, id: string) => {
    const bytes = target === null ? null : mustHave(readKept(directory, target));
    const now = readSeen(path, present);
    const before = now?.kind === 'file' ? now.bytes : null;
    mustHave(
      await ledger.keep(path, before, id, {
        ...{ after: bytes, cause: 'rewind' },
        ...(present.kind === 'file' ? { mode: present.mode } : {}),
        ...(mode === undefined ? {} : { modeAfter: mode }),
      }),
    );
    const batch = new SyncBatch();
    mustHave(putBack(path, present, bytes && { bytes, mode }, batch));
    await batch.flush();
  };
  return { root, project, directory, records, ledger, file, edit, shell, plan, goBack };
}
