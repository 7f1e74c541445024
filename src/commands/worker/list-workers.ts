import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result } from '../../lib/result.ts';
import { alignColumns } from '../../lib/text/align-columns.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { openEngine } from '../../remote/open-engine.ts';
import { listWorkers, type WorkerView } from '../../remote/worker-note.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { FlagsOf } from '../table/commands.ts';
import { warnOfPassword } from './engine-address.ts';
import { ownEngine } from './own-engine.ts';

/** `cadre workers`: those that are alive. */
export async function printWorkers({ engine, json }: FlagsOf<'workers'>): Promise<Result<string>> {
  const address = await ownEngine(lookAround({}), engine).address();
  warnOfPassword(engine);
  const opened = address.ok ? await openEngine(address.value) : address;
  if (!opened.ok) return opened;
  const workers = await listWorkers(opened.value);
  await opened.value.close();
  if (!workers.ok) return workers;
  return ok(
    json
      ? formatJson({ version: 1, engine: opened.value.title, workers: workers.value })
      : renderWorkers(workers.value, opened.value.title),
  );
}

function renderWorkers(workers: readonly WorkerView[], title: string): string {
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
  return `${alignColumns(rows).join('\n')}\n`;
}
