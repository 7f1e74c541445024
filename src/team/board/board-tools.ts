import { form, type OutputOf } from '../../lib/form/form.ts';
import { sayProblem } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { type BoardItem, boardLinks, boardStatuses } from '../../protocol/team.ts';
import {
  defineTool,
  errorResult,
  type Tool,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../../protocol/tool.ts';
import { offerFields } from '../../tools/offer-fields.ts';
import { withoutProgress } from '../../tools/without-progress.ts';
import type { BoardActor } from './apply-change.ts';
import type { Board, BoardUpdate } from './board.ts';
import { isOpen, listBlocked, listBlockers, mapBlockers } from './links.ts';
import { describeItem, describeList, summariseItem } from './render-board.ts';
import createText from './task-create.md' with { type: 'text' };
import getText from './task-get.md' with { type: 'text' };
import listText from './task-list.md' with { type: 'text' };
import updateText from './task-update.md' with { type: 'text' };

/** The board as one agent has it. */
export interface BoardSeat {
  readonly board: Board;
  readonly actor: BoardActor;
  /** Names that items can be given to; absent where any name will do. */
  readonly members?: readonly string[] | undefined;
  /** Why the user's hooks do not want it; undefined if they do. */
  findObjection?(
    event: 'created' | 'completed',
    item: Pick<BoardItem, 'id' | 'subject' | 'description'>,
  ): Promise<string | undefined>;
}

/** Whose board it is can change during a session, when a team is opened; the tools stay the same. */
export type TakeSeat = (context: Pick<ToolContext, 'agentId'>) => BoardSeat;

export function createBoardTools(takeSeat: TakeSeat): Tool[] {
  return [createTool(takeSeat), getTool(takeSeat), listTool(takeSeat), updateTool(takeSeat)] as Tool[];
}

const metadata = form.record(form.unknown()).optional();
const ids = form.array(form.string()).optional();
const text = form.string().optional();

const createSchema = offerFields(
  { subject: form.string(), description: form.string() },
  { activeForm: text, metadata },
);

function createTool(takeSeat: TakeSeat) {
  return defineTool({
    name: 'TaskCreate',
    description: createText.trim(),
    schema: createSchema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: ({ subject }) => visibleLine(subject, 200),
    run: (input, context) =>
      withoutProgress(async () => {
        const { board, actor, findObjection } = takeSeat(context);
        const id = board.reserveId();
        const objection = await findObjection?.('created', { id, ...input });
        if (objection !== undefined) return errorResult(`The item was not added: ${objection}`);
        const made = board.create(input, actor, id);
        if (!made.ok) return errorResult(sayProblem(made.problem));
        const { subject, description } = made.value;
        return textResult(`Added ${summariseItem(made.value)}.`, {
          task: { id: made.value.id, subject, description },
        });
      }),
  });
}

const taskId = form.string();

function getTool(takeSeat: TakeSeat) {
  return defineTool({
    name: 'TaskGet',
    description: getText.trim(),
    schema: form.strictObject({ taskId }),
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: (input) => visibleLine(input.taskId, 100),
    run: (input, context) =>
      withoutProgress(async () => {
        const { board } = takeSeat(context);
        const items = board.list();
        const item = items.find(({ id }) => id === input.taskId);
        if (!item) {
          const { content } = errorResult(
            `There is no item ${visibleLine(input.taskId, 40)}. TaskList shows all.`,
          );
          return { content, isError: true, data: { task: null } };
        }
        return textResult(describeItem(item, items), { task: describeForPrograms(item, items) });
      }),
  });
}

function listTool(takeSeat: TakeSeat) {
  return defineTool({
    name: 'TaskList',
    description: listText.trim(),
    schema: form.strictObject({}),
    access: () => [{ kind: 'none' }],
    concurrent: () => true,
    summary: () => '',
    run: (_, context) =>
      withoutProgress(async () => {
        const items = takeSeat(context).board.list();
        const blockers = mapBlockers(items);
        const tasks = items.map(({ id, subject, status, owner }) => ({
          ...{ id, subject, status, ...(owner === null ? {} : { owner }) },
          blockedBy: blockers.get(id) ?? [],
        }));
        return textResult(describeList(items), { tasks });
      }),
  });
}

const updateSchema = offerFields(
  { taskId, status: form.enum(boardStatuses).optional(), owner: text, addBlocks: ids, addBlockedBy: ids },
  {
    ...{ subject: text, description: text, activeForm: text, metadata },
    addLinks: form.array(form.strictObject({ kind: form.enum(boardLinks), to: form.string() })).optional(),
    removeLinks: ids,
  },
);

function updateTool(takeSeat: TakeSeat) {
  return defineTool({
    name: 'TaskUpdate',
    description: updateText.trim(),
    schema: updateSchema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    effect: () => 'repeatable',
    summary: ({ taskId: id, status }) => visibleLine([id, status].filter(Boolean).join(' '), 100),
    run: (input, context) => withoutProgress(() => updateItem(input, takeSeat(context))),
  });
}

async function updateItem(
  { taskId: id, owner: given, ...change }: OutputOf<typeof updateSchema>,
  { board, actor, members, findObjection }: BoardSeat,
): Promise<ToolResult> {
  const owner = given === undefined ? undefined : readOwner(given);
  if (typeof owner === 'string' && members && ![...members, actor.name].includes(owner))
    return refuse(id, `There is no member "${visibleLine(owner, 60)}". Members: ${members.join(', ')}.`);
  const item = board.find(id);
  if (item && change.status === 'completed' && item.status !== 'completed') {
    const objection = await findObjection?.('completed', item);
    if (objection !== undefined) return refuse(id, `${id} is not completed: ${objection}`);
  }
  const waiting = item ? listBlocked(board.list(), item) : [];
  const done = board.change(id, { ...change, owner }, actor);
  if (!done.ok) return refuse(id, sayProblem(done.problem));
  return describeUpdate(done.value, waiting, board);
}

/** `name@team` is the name; nothing takes the owner away. */
function readOwner(given: string): string | null {
  const [name = ''] = given.trim().split('@');
  return name === '' ? null : name;
}

function describeUpdate(
  { item, before, fields }: BoardUpdate,
  waiting: BoardItem[],
  board: Board,
): ToolResult {
  const hasMoved = before.status !== item.status;
  const items = board.list();
  const freed = isOpen(item)
    ? []
    : items.filter(({ id }) => waiting.some((one) => one.id === id) && listBlockers(items, id).length === 0);
  const what = fields.length === 0 ? 'nothing changed' : `changed ${fields.join(', ')}`;
  const now = item.status === 'deleted' ? 'deleted' : summariseItem(item);
  const unblocked = freed.length > 0 ? ` Now unblocked: ${freed.map(summariseItem).join('; ')}.` : '';
  return textResult(`${item.id}: ${what}. Now: ${now}.${unblocked}`, {
    ...{ success: true, taskId: item.id, updatedFields: fields },
    ...(hasMoved ? { statusChange: { from: before.status, to: item.status } } : {}),
  });
}

function describeForPrograms(item: BoardItem, items: readonly BoardItem[]) {
  const { id, subject, description, status, owner, links, metadata: facts } = item;
  const blocks = links.flatMap(({ kind, to }) => (kind === 'blocks' ? [to] : []));
  return {
    ...{ id, subject, description, status, blocks },
    blockedBy: listBlockers(items, id).map((blocker) => blocker.id),
    ...(owner === null ? {} : { owner }),
    ...{ links, metadata: facts },
  };
}

function refuse(id: string, error: string): ToolResult {
  const data = { success: false, taskId: id, updatedFields: [], error };
  return { ...errorResult(error), data };
}
