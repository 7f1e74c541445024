import { z } from 'zod';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { visibleLine } from '../../lib/text/text.ts';

const text = z.union([z.string(), z.array(z.string())]);
const notebookSchema = z.object({
  cells: z.array(
    z.object({
      cell_type: z.string(),
      id: z.string().optional().catch(undefined),
      source: text.default(''),
      execution_count: z.number().nullish(),
      outputs: z
        .array(
          z.object({
            output_type: z.string(),
            text: text.optional(),
            data: z.record(z.string(), z.unknown()).optional(),
            ename: z.string().optional(),
            evalue: z.string().optional(),
          }),
        )
        .default([]),
    }),
  ),
});

type Notebook = z.infer<typeof notebookSchema>;
type Cell = Notebook['cells'][number];

const maxOutput = 2000;

/** A notebook's cells and their output; undefined if it is not a notebook. */
export function renderNotebook(json: string): string | undefined {
  const parsed = notebookSchema.safeParse(parseJson(json));
  return parsed.success ? parsed.data.cells.map(renderCell).join('\n\n') : undefined;
}

function renderCell(cell: Cell, index: number): string {
  const outputs = cell.outputs.map(renderOutput).filter((output) => output !== '');
  const id = cell.id === undefined ? '' : `, id ${visibleLine(cell.id, 80)}`;
  return [`--- cell ${index + 1} (${cell.cell_type}${id}) ---`, join(cell.source), ...outputs].join('\n');
}

function renderOutput(output: Cell['outputs'][number]): string {
  const body =
    output.output_type === 'error'
      ? `${output.ename ?? 'Error'}: ${output.evalue ?? ''}`
      : join(output.text ?? readDataText(output.data ?? {}));
  if (body === '') return '';
  const cut =
    body.length > maxOutput ? `${body.slice(0, maxOutput)}… [${body.length} characters in all]` : body;
  return `--- output ---\n${cut}`;
}

function readDataText(data: Record<string, unknown>): string | string[] {
  const plain = text.safeParse(data['text/plain']);
  const others = Object.keys(data).filter((type) => type !== 'text/plain');
  return [plain.success ? join(plain.data) : '', ...others.map((type) => `[${type}]`)]
    .filter(Boolean)
    .join('\n');
}

function join(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join('');
}
