import { createHash } from 'node:crypto';

/** An index as no git command writes it. `trees`: the extension with remembered trees. */
export function craftIndex(
  entries: readonly { name: string; id: string; mode?: number }[],
  trees: Buffer = Buffer.alloc(0),
): Buffer {
  const sorted = [...entries].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  const header = Buffer.alloc(12);
  header.write('DIRC');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(sorted.length, 8);
  const body = Buffer.concat([header, ...sorted.map(craftEntry), trees]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function craftEntry({ name, id, mode = 0o100644 }: { name: string; id: string; mode?: number }): Buffer {
  const path = Buffer.from(name);
  const length = 62 + path.length;
  const entry = Buffer.alloc(length + 8 - (length % 8));
  entry.writeUInt32BE(mode, 24);
  entry.write(id, 40, 'hex');
  entry.writeUInt16BE(Math.min(path.length, 0xfff), 60);
  path.copy(entry, 62);
  return entry;
}

export interface RememberedTree {
  name: string;
  /** Missing where it is not remembered. */
  id?: string;
  count?: number;
  below?: readonly RememberedTree[];
}

export function rememberTrees(top: RememberedTree): Buffer {
  const content = craftTree(top);
  const head = Buffer.alloc(8);
  head.write('TREE');
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

function craftTree({ name, id, count = 1, below = [] }: RememberedTree): Buffer {
  const line = `${name}\0${id === undefined ? -1 : count} ${below.length}\n`;
  return Buffer.concat([Buffer.from(line), Buffer.from(id ?? '', 'hex'), ...below.map(craftTree)]);
}
