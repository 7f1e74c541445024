import { endWithParent } from '../../lib/processes/end-with-parent.ts';
import { LineSplitter } from '../../lib/split-lines.ts';
import { maxFrameBytes, type ScriptStart } from './frames.ts';

/**
 * The process that runs one workflow script: the script on its stdin, then answers; calls on its stdout. It has no
 * environment and no files, and its limits are set from outside.
 */
export async function serveScript(): Promise<number> {
  endWithParent();
  const lines = readLines(process.stdin);
  const first = await lines.next();
  if (first.done) return 1;
  const { openEngine } = await import('./engine.ts');
  const post = (frame: string) => void process.stdout.write(`${frame}\n`);
  const engine = await openEngine(JSON.parse(first.value) as ScriptStart, post);
  post('{"type":"ready"}');
  engine.begin();
  for await (const line of lines) engine.answer(line);
  return 0;
}

async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const split = new LineSplitter(maxFrameBytes);
  for await (const chunk of stream) {
    split.add(chunk);
    for (let line = split.take(); line !== undefined; line = split.take()) {
      if (line === 'too long') return;
      yield Buffer.from(line).toString('utf8');
    }
  }
}
