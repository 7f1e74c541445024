import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { openEngine } from '../../remote/open-engine.ts';
import { listWorkers, type WorkerView } from '../../remote/worker-note.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { findEngine, loadOwnSettings, warnOfPassword } from './engine-address.ts';

/** `cadre workers`: those that are alive. */
export async function printWorkers({ engine, json }: FlagsOf<'workers'>): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const settings = await loadOwnSettings(around);
  const address = settings.ok ? findEngine(engine, around, settings.value) : settings;
  const warning = warnOfPassword(engine);
  if (warning) io.writeErr(`${warning}\n`);
  const opened = address.ok ? await openEngine(address.value) : address;
  if (!opened.ok) return complain(io, opened.problem);
  const workers = await listWorkers(opened.value);
  await opened.value.close();
  if (!workers.ok) return complain(io, workers.problem);
  const text = json
    ? `${JSON.stringify({ version: 1, engine: opened.value.title, workers: workers.value }, null, 2)}\n`
    : renderWorkers(workers.value, opened.value.title);
  return (await io.writeOut(text)) ? 0 : 1;
}

export function renderWorkers(workers: readonly WorkerView[], title: string): string {
  if (workers.length === 0)
    return `No worker is at ${title}. Start one with: cadre worker --engine ADDRESS\n`;
  const rows = [
    ['name', 'state', 'jobs', 'load', 'labels', 'host', 'version'],
    ...workers.map((worker) => [
      visibleLine(worker.name, 60),
      worker.state,
      `${worker.running}/${worker.slots}`,
      `${Math.round(worker.load * 100)} %`,
      visibleLine(worker.labels.join(','), 60),
      visibleLine(worker.host, 60),
      visibleLine(worker.version, 30),
    ]),
  ];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
