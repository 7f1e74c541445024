import { parseJson } from '../../lib/fields/parse-json.ts';
import { form } from '../../lib/form/form.ts';
import { type BoardItem, boardLinks, boardStatuses } from '../../protocol/team.ts';

/** Bounds of one item. A board is read by every agent: what does not fit belongs into a file. */
export const maxSubject = 500;
export const maxDescription = 20_000;
export const maxMetadataBytes = 8_000;
export const maxLinks = 200;
export const maxItemBytes = 128 * 1024;

const itemId = /^[a-z0-9]{2,16}$/;
const fileName = /^([a-z0-9]{2,16})\.(\d{1,9})\.json$/;

export function isItemId(text: string): boolean {
  return itemId.test(text);
}

export function nameItemFile(id: string, revision: number): string {
  return `${id}.${revision}.json`;
}

/** Undefined for a name that no item has. */
export function readItemName(name: string): { id: string; revision: number } | undefined {
  const [, id, revision] = fileName.exec(name) ?? [];
  return id === undefined || Number(revision) < 1 ? undefined : { id, revision: Number(revision) };
}

export type ReadItem =
  | { state: 'item'; item: BoardItem }
  /** Of a later version of Cadre: left alone. */
  | { state: 'newer' }
  | { state: 'damaged'; reason: string };

/** An item as it is in a file, which another program may have written. */
export function readItem(text: string, name: { id: string; revision: number }): ReadItem {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return { state: 'damaged', reason: 'it is not JSON' };
  if ('format' in value && typeof value.format === 'number' && value.format > 1) return { state: 'newer' };
  const checked = schema.safeParse(value);
  if (!checked.success) {
    const [first] = checked.error.issues;
    return { state: 'damaged', reason: `${first?.path.join('.') ?? ''}: ${first?.message ?? 'not an item'}` };
  }
  const { activeForm, claimedBy, ...item } = checked.data;
  if (item.id !== name.id || item.revision !== name.revision)
    return { state: 'damaged', reason: 'its id and revision are not those of its name' };
  const optional = { ...(activeForm ? { activeForm } : {}), ...(claimedBy ? { claimedBy } : {}) };
  return { state: 'item', item: { ...item, ...optional } };
}

const name = form.string().min(1).max(200);
const moment = form.string().max(40);

const schema = form.object({
  format: form.literal(1),
  id: form.string().regex(itemId),
  revision: form.int().min(1),
  subject: form.string().min(1).max(maxSubject),
  description: form.string().max(maxDescription),
  activeForm: form.string().max(maxSubject).optional(),
  status: form.enum(boardStatuses),
  owner: name.nullable(),
  claimedBy: name.optional(),
  links: form
    .array(form.object({ kind: form.enum(boardLinks), to: form.string().regex(itemId) }))
    .max(maxLinks),
  metadata: form.record(form.unknown()),
  createdBy: name,
  createdAt: moment,
  changedBy: name,
  changedAt: moment,
});
