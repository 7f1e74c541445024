import { createInterface } from 'node:readline';
import type { Order, Reply } from './protocol.ts';

/** The driver's side: what it asks of the warden. One request at a time. */
export interface Watch {
  /**
   * What changed on the whole machine since the last look, but below these paths. There are thousands of settings of the
   * kernel, which stay changed: a brief look leaves them to the next one.
   */
  look(allowed: readonly string[], isBrief?: boolean): Promise<string[]>;
  control(request: Omit<Extract<Order, { kind: 'control' }>, 'kind'>): Promise<string[]>;
  report(result: unknown): void;
}

export function openWatch(): Watch {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const ask = async (order: Order): Promise<string[]> => {
    say(order);
    const { value } = await lines.next();
    return (JSON.parse(String(value)) as Reply).damage;
  };
  return {
    look: (allowed, isBrief = false) => ask({ kind: 'look', allowed, isBrief }),
    control: (request) => ask({ kind: 'control', ...request }),
    report: (result) => say({ kind: 'result', result }),
  };
}

function say(order: Order): void {
  process.stdout.write(`${JSON.stringify(order)}\n`);
}
