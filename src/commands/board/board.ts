import { processIo } from '../../headless/process-io.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import type { BoardItem } from '../../protocol/index.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { BoardActor } from '../../team/board/apply-change.ts';
import type { Board } from '../../team/board/board.ts';
import { isOpen, listReady, mapBlockers } from '../../team/board/links.ts';
import { describeItem, describeList, summariseItem } from '../../team/board/render-board.ts';
import { renderGraph } from '../../team/board/render-graph.ts';
import { isProgramAddress } from '../../team/names.ts';
import type { FlagsOf } from '../table/commands.ts';
import { type FoundBoard, findBoard } from './find-board.ts';

type BoardAction = 'list' | 'ready' | 'show' | 'add' | 'claim' | 'done' | 'graph';

type BoardFlags = FlagsOf<'board list'> & FlagsOf<'board add'> & FlagsOf<'board claim'>;

/** `cadre board`: a team's or a session's board, from any process. */
export async function manageBoard(
  action: BoardAction,
  [word = '']: readonly string[],
  flags: BoardFlags,
): Promise<Result<string>> {
  const tell = (problem: string) => processIo().writeErr(`cadre: ${problem}\n`);
  const found = await findBoard(lookAround({}), flags, tell);
  if (!found.ok) return found;
  switch (action) {
    case 'list':
      return ok(list(found.value, flags));
    case 'ready':
      return ok(ready(found.value, flags));
    case 'show':
      return show(found.value, word, flags);
    case 'graph':
      return ok(graph(found.value, flags));
    default:
      return change(found.value.board, action, word, flags);
  }
}

function list({ board, title, name }: FoundBoard, { json, all }: BoardFlags): string {
  const items = board.list();
  const shown = all ? items : items.filter(isOpen);
  if (json) return formatJson({ board: name, items: shown.map((item) => asData(item, items)) });
  const done = items.length - shown.length;
  const left = done > 0 ? `\n${done} completed (--all shows them)` : '';
  return `${title}\n${shown.length === 0 && done > 0 ? 'All items are completed.' : describeList(shown)}${left}\n`;
}

function ready({ board, title, name }: FoundBoard, { json }: BoardFlags): string {
  const items = board.list();
  const free = listReady(items);
  if (json) return formatJson({ board: name, items: free.map((item) => asData(item, items)) });
  return free.length === 0 ? `${title}\nNothing is ready.\n` : `${title}\n${describeList(free)}\n`;
}

function show({ board }: FoundBoard, id: string, { json }: BoardFlags): Result<string> {
  const items = board.list();
  const item = items.find((one) => one.id === id);
  if (!item) return board.describeUnknown(id);
  return ok(json ? formatJson(asData(item, items)) : `${describeItem(item, items)}\n`);
}

function graph({ board, title, name }: FoundBoard, { json }: BoardFlags): string {
  const items = board.list();
  if (!json) return `${title}\n${renderGraph(items)}\n`;
  const edges = items.flatMap(({ id, links }) => links.map(({ kind, to }) => ({ from: id, kind, to })));
  return formatJson({ board: name, items: items.map((item) => asData(item, items)), edges });
}

function change(
  board: Board,
  action: 'add' | 'claim' | 'done',
  word: string,
  flags: BoardFlags,
): Result<string> {
  const actor = findActor(flags.as);
  if (!actor.ok) return actor;
  const done =
    action === 'add' ? add(board, word, actor.value, flags) : move(board, action, word, actor.value, flags);
  if (!done.ok) return done;
  const items = board.list();
  return ok(flags.json ? formatJson(asData(done.value, items)) : `${summariseItem(done.value)}\n`);
}

function move(
  board: Board,
  action: 'claim' | 'done',
  id: string,
  actor: BoardActor,
  { release }: BoardFlags,
): Result<BoardItem> {
  if (action === 'done') return board.complete(id, actor);
  return release ? board.release(id, actor) : board.claim(id, actor);
}

/** Links to items that do not exist are refused before anything is written. */
function add(board: Board, subject: string, actor: BoardActor, flags: BoardFlags): Result<BoardItem> {
  const { description, owner, blockedBy = [], blocks = [], parent } = flags;
  for (const id of [...blockedBy, ...blocks, ...(parent === undefined ? [] : [parent])])
    if (!board.find(id)) return board.describeUnknown(id);
  const made = board.create({ subject, description, owner }, actor);
  if (!made.ok) return made;
  const addLinks = parent === undefined ? [] : [{ kind: 'parent' as const, to: parent }];
  const linked = board.change(made.value.id, { addBlocks: blocks, addBlockedBy: blockedBy, addLinks }, actor);
  if (linked.ok) return ok(linked.value.item);
  const { message, hint } = linked.problem;
  return failure(`${made.value.id} was added, but not all of its links: ${message}`, hint);
}

/** Nobody is a member from here: members act through their session. The user may do all that a leader may. */
function findActor(program: string | undefined): Result<BoardActor> {
  if (program === undefined) return ok({ name: 'user', leads: true });
  const name = program.startsWith('program:') ? program : `program:${program}`;
  if (isProgramAddress(name)) return ok({ name });
  return usage(
    `--as ${program}: expected letters, digits, ".", "-" and "_", starting with a letter or digit.`,
  );
}

function asData(item: BoardItem, items: readonly BoardItem[]) {
  return { ...item, blockedBy: mapBlockers(items).get(item.id) ?? [] };
}
