import {
  call,
  calls,
  fakeProvider,
  refuse,
  say,
  type Turn,
  think,
  together,
} from '../../src/testing/index.ts';
import { faulty, sayNothing } from '../../src/testing/turns.ts';
import { collect, modelOver, type Wire, wires } from './wires.ts';

/** The bytes of one answer, as a provider sent them. */
export interface RecordedStream {
  name: string;
  wire: Wire;
  bytes: Uint8Array;
}

const usage = { input_tokens: 11, output_tokens: 7, cache_read_input_tokens: 500 };

const turns: Record<string, Turn> = {
  text: say('Grüße, 世界 🙂!'),
  thinking: together(think('Hm — “so”.', 'c2lnbmF0dXJl'), say('Yes.')),
  calls: calls([
    call('Read', { path: '/a/ü "x"\\y\n', deep: { list: [1, '🙂'] } }, 'call_1'),
    call('Read', {}, 'call_2'),
    call('Read', { n: 2 }, 'call_3'),
  ]),
  refusal: refuse('No.'),
  nothing: sayNothing(),
  'error event': faulty(
    { kind: 'error_event', event: 2, message: 'Overloaded', status: 529 },
    say('Half of it'),
  ),
  usage: { ...say('ok'), usage },
};

/** What the fake provider sends over each wire for each of the turns above. */
export async function recordStreams(): Promise<RecordedStream[]> {
  const recorded: RecordedStream[] = [];
  for (const [name, turn] of Object.entries(turns)) {
    await using provider = await fakeProvider({ script: wires.map(() => turn) });
    for (const wire of wires) {
      const recording = async (url: string | URL | Request, init?: RequestInit) => {
        const response = await fetch(url, init);
        const bytes = new Uint8Array(await response.arrayBuffer());
        recorded.push({ name: `${wire.name} ${name}`, wire, bytes });
        return new Response(bytes, { headers: response.headers });
      };
      await collect(modelOver(wire, recording, provider.url));
    }
    provider.assertConsumed();
  }
  return recorded;
}
