import { visibleLine } from '../lib/text/text.ts';
import type { Ground } from './types.ts';

/** Says when the gate begins and, with an empty text, when it has ended: it may take minutes, and there is nothing else to see. */
export function announceGate(ground: Ground, say: (text: string) => void): Ground {
  const { gate } = ground;
  if (!gate) return ground;
  return {
    ...ground,
    gate: {
      ...gate,
      async run(cwd, signal) {
        say(`gate: running ${visibleLine(gate.command, 200)} …`);
        try {
          return await gate.run(cwd, signal);
        } finally {
          say('');
        }
      },
    },
  };
}
