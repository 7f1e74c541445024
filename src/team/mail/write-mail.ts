import { join } from 'node:path';
import type { DiskFile } from '../../lib/files/disk.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { removeQuietly } from '../../lib/files/small-files.ts';
import { formatProcessName } from '../../lib/files/temporary-names.ts';
import type { Machine } from '../../lib/machine.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import { fail, failure, ok, type Result } from '../../lib/result.ts';
import type { MailMessage } from '../../protocol/team.ts';
import type { TeamPlace } from '../team-place.ts';
import { nameNew, stateDirectories } from './box-place.ts';
import type { MailSender } from './senders.ts';

/** A message that is written, but not yet in its box. */
export interface AsideMail {
  message: MailMessage;
  sender: MailSender;
  path: string;
  file: DiskFile;
}

interface NewMailFile extends Pick<AsideMail, 'message' | 'sender'> {
  content: string;
  /** The process that writes it. */
  process: ProcessMark;
}

/** Writes a message beside the box, in full or not at all. The file is open until it is synced. */
export function writeAside(
  place: TeamPlace,
  { message, sender, content, process }: NewMailFile,
  machine: Machine,
): Result<AsideMail> {
  const { disk, ids } = machine;
  const box = place.box(message.to);
  const path = join(box, 'tmp', `${nameNew(message)}.${formatProcessName(process, ids)}.new`);
  let file: DiskFile | undefined;
  try {
    file = disk.open(path, { access: 'write', create: 'new' });
    const bytes = Buffer.from(content);
    for (let done = 0; done < bytes.length; ) done += file.write(bytes, done);
    return ok({ message, sender, path, file });
  } catch (error) {
    file?.close();
    removeQuietly(path, disk);
    return fail(nothingSent(message, describeFileError(error, box, 'write to')));
  }
}

/** Puts a synced message into its box: from now on its reader sees it. */
export function putInPlace(
  place: TeamPlace,
  { message, sender, path }: Omit<AsideMail, 'file'>,
  { disk }: Machine,
): Result<MailMessage> {
  if (!sender.check()) {
    removeQuietly(path, disk);
    return failure(
      `Nothing was sent to ${message.to}: another process holds the address ${sender.name}@${place.name} now.`,
    );
  }
  const box = place.box(message.to);
  try {
    disk.rename(path, join(box, stateDirectories.written, nameNew(message)));
    return ok(message);
  } catch (error) {
    removeQuietly(path, disk);
    return fail(nothingSent(message, describeFileError(error, box, 'write to')));
  }
}

/** The same problem, saying what it means for the sender. */
export function nothingSent<P extends { message: string }>({ to }: Pick<MailMessage, 'to'>, problem: P): P {
  return { ...problem, message: `Nothing was sent to ${to}. ${problem.message}` };
}
