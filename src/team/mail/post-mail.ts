import { join } from 'node:path';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { removeQuietly } from '../../lib/files/small-files.ts';
import type { Machine } from '../../lib/machine.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import { fail, failure, ok, type Result, usage } from '../../lib/result.ts';
import { SyncBatch } from '../../lib/sync-batch.ts';
import type { MailMessage } from '../../protocol/team.ts';
import type { TeamPlace } from '../team-place.ts';
import { hasBox, listBoxes, stateDirectories } from './box-place.ts';
import { isControlKind, maxMailBytes, maxTextCharacters, serialiseMail } from './mail-format.ts';
import { readMailKey } from './mail-key.ts';
import type { MailSender } from './senders.ts';
import { type AsideMail, nothingSent, putInPlace, writeAside } from './write-mail.ts';

/** A message before the harness adds who sent it, when, and in which order. */
export type MailDraft = Pick<
  MailMessage,
  'to' | 'toIncarnation' | 'kind' | 'text' | 'summary' | 'body' | 'inReplyTo' | 'awaitsAnswer'
> & {
  /** Given to send one message again: its reader takes it once. */
  id?: string;
};

export type Placed = (mail: MailMessage) => void;

export interface PostOptions {
  machine: Machine;
  clock: Clock;
}

export function openPost(place: TeamPlace, options: PostOptions): Result<Post> {
  const key = readMailKey(place, options.machine);
  return key.ok ? ok(new Post(place, key.value, options)) : key;
}

interface Waiting {
  draft: MailDraft;
  sender: MailSender;
  placed: Placed | undefined;
  done(result: Result<MailMessage>): void;
}

/** The way into the boxes of one team. A message is in its box, synced, when the answer is `ok`, and not at all otherwise. */
export class Post {
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #room: BoxRoom;
  readonly #process: ProcessMark;
  #waiting: Waiting[] = [];
  #isFlushing = false;

  constructor(
    private readonly place: TeamPlace,
    private readonly key: string,
    { machine, clock }: PostOptions,
  ) {
    this.#machine = machine;
    this.#clock = clock;
    this.#room = new BoxRoom(place, machine);
    this.#process = machine.self();
  }

  /**
   * Messages that are sent while others are being synced share one sync of their directory. In the order of the calls, for one
   * sender. `placed` is called when its reader can see it, before any reader does: the sync of the directory comes after that.
   */
  async send(draft: MailDraft, sender: MailSender, placed?: Placed): Promise<Result<MailMessage>> {
    const { promise, resolve } = Promise.withResolvers<Result<MailMessage>>();
    this.#waiting.push({ draft, sender, placed, done: resolve });
    if (!this.#isFlushing) void this.#flush();
    return promise;
  }

  /** The same at once, holding up everything else: for commands that do nothing besides. */
  sendNow(draft: MailDraft, sender: MailSender): Result<MailMessage> {
    const aside = this.#write(draft, sender);
    if (!aside.ok) return aside;
    const { file, path, message } = aside.value;
    try {
      file.sync();
    } catch (error) {
      removeQuietly(path, this.#machine.disk);
      return fail(nothingSent(message, describeFileError(error, path, 'write')));
    } finally {
      file.close();
    }
    const put = putInPlace(this.place, aside.value, this.#machine);
    if (put.ok) this.#syncBox(message.to);
    return put;
  }

  #write(draft: MailDraft, sender: MailSender): Result<AsideMail> {
    const refused = this.#findFault(draft);
    if (refused) return refused;
    const { id = this.#machine.ids.uuid() } = draft;
    const message: MailMessage = keepDefined({
      ...{ format: 1 as const, id, team: this.place.name, from: sender.name },
      ...{ fromIncarnation: sender.incarnation, to: draft.to, toIncarnation: draft.toIncarnation },
      ...{ kind: draft.kind, sentAt: timestamp(this.#clock), order: sender.nextOrder(), text: draft.text },
      ...{ summary: draft.summary, body: draft.body, inReplyTo: draft.inReplyTo },
      awaitsAnswer: draft.awaitsAnswer,
    });
    const content = serialiseMail(message, this.key);
    if (Buffer.byteLength(content) > maxMailBytes)
      return usage(`The message to ${draft.to} is larger than ${maxMailBytes} bytes.`, inFile);
    return writeAside(this.place, { message, sender, content, process: this.#process }, this.#machine);
  }

  #findFault({ to, kind, text, toIncarnation }: MailDraft): Result<never> | undefined {
    if (text.length > maxTextCharacters)
      return usage(`The message to ${to} is longer than ${maxTextCharacters} characters.`, inFile);
    if (isControlKind(kind) && toIncarnation === undefined)
      return usage(`${kind} to ${to}: expected the incarnation that it is for.`);
    if (hasBox(this.place, to, this.#machine)) return this.#room.check(to);
    const names = listBoxes(this.place, this.#machine).slice(0, 50).join(', ');
    return usage(`There is no ${to} in team ${this.place.name}.`, `Its members are: ${names || 'none'}.`);
  }

  /** The next group is written while the directories of the last one are being synced. */
  async #flush(): Promise<void> {
    this.#isFlushing = true;
    while (this.#waiting.length > 0) await this.#sendGroup(this.#waiting.splice(0, maxGroup));
    this.#isFlushing = false;
  }

  /** Syncs all of them together and puts them in place in order; each is answered once its directory is synced too. */
  async #sendGroup(group: readonly Waiting[]): Promise<void> {
    const written = group.map(({ draft, sender }) => this.#write(draft, sender));
    const files = new SyncBatch();
    for (const one of written) if (one.ok) files.addFile(one.value.path, one.value.file);
    const failed = new Map((await files.flush()).map(({ path, error }) => [path, error]));
    const results = written.map((one, index) =>
      one.ok ? this.#finish(one.value, failed, group[index]?.placed) : one,
    );
    const boxes = new SyncBatch();
    for (const result of results) if (result.ok) this.#addBox(boxes, result.value.to);
    void boxes.flush().then(() => {
      for (const [index, result] of results.entries()) group[index]?.done(result);
    });
  }

  #finish(
    aside: AsideMail,
    failed: ReadonlyMap<string, unknown>,
    placed: Placed | undefined,
  ): Result<MailMessage> {
    const { path, message } = aside;
    if (!failed.has(path)) {
      const put = putInPlace(this.place, aside, this.#machine);
      if (put.ok) placed?.(message);
      return put;
    }
    removeQuietly(path, this.#machine.disk);
    return fail(nothingSent(message, describeFileError(failed.get(path), path, 'write')));
  }

  #addBox(batch: SyncBatch, owner: string): void {
    const directory = join(this.place.box(owner), stateDirectories.written);
    batch.addDirectory(directory, directory);
  }

  #syncBox(owner: string): void {
    try {
      this.#machine.disk.syncDirectory(join(this.place.box(owner), stateDirectories.written));
    } catch {
      // Not every file system can.
    }
  }
}

const inFile = 'Write the text to a file and name it in the message.';

/** Each is an open file. */
const maxGroup = 64;

/** Of one box. A sender that never ends must not fill the disk. */
export const maxWaiting = 20_000;

const sendsBetweenCounts = 64;

/** Whether there is room in a box, counted now and then: other processes send as well, so the limit is not exact. */
class BoxRoom {
  readonly #left = new Map<string, number>();

  constructor(
    private readonly place: TeamPlace,
    private readonly machine: Machine,
  ) {}

  /** Takes room for one message; a problem where there is none. */
  check(owner: string): Result<never> | undefined {
    const left = this.#left.get(owner) ?? 0;
    const free = left > 0 ? left : Math.min(sendsBetweenCounts, maxWaiting - this.#count(owner));
    this.#left.set(owner, free - 1);
    if (free > 0) return undefined;
    return failure(
      `Nothing was sent to ${owner}: ${maxWaiting} messages wait in its box.`,
      `See whether ${owner} runs: cadre team show ${this.place.name}.`,
    );
  }

  #count(owner: string): number {
    try {
      return this.machine.disk.list(join(this.place.box(owner), stateDirectories.written)).length;
    } catch {
      return 0;
    }
  }
}
