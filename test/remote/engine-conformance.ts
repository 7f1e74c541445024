import { expect } from 'bun:test';
import type { Result } from '../../src/lib/result.ts';
import type { Engine, EngineOptions } from '../../src/remote/engine.ts';

/** One kind of engine, and how a test moves its world. */
export interface EngineUnderTest {
  /** A connection to the server; all of one `space` see the same. */
  open(options: EngineOptions): Promise<Engine>;
  /** Lets the leases of this length end. */
  passLease(leaseMs: number): Promise<void>;
  /** The server dies; the data stays. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

type Test = (name: string, body: () => Promise<void>, timeoutMs?: number) => void;

const leaseMs = 1000;

/** Behaviour that every engine has. */
export function engineConformance(test: Test, title: string, start: () => EngineUnderTest): void {
  let spaces = 0;
  const inSpace = (
    name: string,
    body: (open: () => Promise<Engine>, under: EngineUnderTest) => Promise<void>,
  ) =>
    test(`${title}: ${name}`, async () => {
      const under = start();
      const space = `space${++spaces}`;
      const opened: Engine[] = [];
      try {
        await body(async () => {
          const engine = await under.open({ leaseMs, space });
          opened.push(engine);
          return engine;
        }, under);
      } finally {
        for (const engine of opened) await engine.close();
      }
    }, 30_000);

  inSpace('a job that is submitted twice is handed out once', async (open) => {
    const engine = await open();
    for (let at = 0; at < 2; at++) get(await engine.enqueue({ id: 'one', label: 'any', priority: 0 }));
    const taken = get(await engine.take('any'));
    expect(taken?.id).toBe('one');
    expect(get(await engine.take('any'))).toBeUndefined();
    expect(get(await taken?.finish())).toBe(true);
    get(await engine.enqueue({ id: 'one', label: 'any', priority: 0 }));
    expect(get(await engine.take('any'))).toBeUndefined();
  });

  inSpace('a job goes only to workers with its label', async (open) => {
    const [here, there] = [await open(), await open()];
    get(await here.enqueue({ id: 'one', label: 'gpu: big', priority: 0 }));
    expect(get(await there.take('any'))).toBeUndefined();
    expect(get(await there.take('gpu: big'))?.id).toBe('one');
  });

  inSpace('jobs of a lower number come first', async (open) => {
    const engine = await open();
    for (const priority of [5, 0, 9, 3])
      get(await engine.enqueue({ id: `p${priority}`, label: 'any', priority }));
    const order: (string | undefined)[] = [];
    for (let at = 0; at < 4; at++) order.push(get(await engine.take('any'))?.id);
    expect(order).toEqual(['p0', 'p3', 'p5', 'p9']);
  });

  inSpace(
    'a job whose lease ended goes to another worker, and the first one is refused',
    async (open, under) => {
      const [dead, alive] = [await open(), await open()];
      get(await dead.enqueue({ id: 'one', label: 'any', priority: 0 }));
      const first = get(await dead.take('any'));
      expect(get(await alive.take('any'))).toBeUndefined();
      await under.passLease(leaseMs);
      const second = await takeSoon(alive, 'any', under);
      expect(second?.id).toBe('one');
      expect(get(await first?.renew())).toBe(false);
      expect(get(await first?.finish())).toBe(false);
      expect(get(await second?.finish())).toBe(true);
    },
  );

  inSpace('a job that is renewed stays with its worker', async (open, under) => {
    const [holder, other] = [await open(), await open()];
    get(await holder.enqueue({ id: 'one', label: 'any', priority: 0 }));
    const taken = get(await holder.take('any'));
    for (let at = 0; at < 6; at++) {
      await under.passLease(leaseMs / 3);
      expect(get(await taken?.renew())).toBe(true);
      expect(get(await other.take('any'))).toBeUndefined();
    }
  });

  inSpace('a job that is released can be taken at once', async (open) => {
    const [first, second] = [await open(), await open()];
    get(await first.enqueue({ id: 'one', label: 'any', priority: 0 }));
    expect(get(await get(await first.take('any'))?.release())).toBe(true);
    expect(get(await second.take('any'))?.id).toBe('one');
  });

  inSpace('rows of an earlier epoch are refused, all of them', async (open) => {
    const [paused, next] = [await open(), await open()];
    const old = get(await paused.claim('job'));
    expect(get(await paused.append('job', [row('events', 'a'), row('result', 'b')], old))).toBe('stored');
    const current = get(await next.claim('job'));
    expect(current).toBeGreaterThan(old);
    expect(get(await paused.append('job', [row('events', 'c'), row('result', 'd')], old))).toBe('stale');
    expect(get(await next.append('job', [row('events', 'e')], current))).toBe('stored');
    expect(get(await next.read('job', 'events', 0, 10)).map(({ body }) => body)).toEqual(['a', 'e']);
    expect(get(await next.read('job', 'result', 0, 10)).map(({ body }) => body)).toEqual(['b']);
  });

  inSpace('rows are read by cursor, and a row that is sent twice is stored once', async (open) => {
    const [from, to] = [await open(), await open()];
    for (const name of ['a', 'b', 'b', 'c']) get(await from.append('job', [row('mail', name)]));
    expect(get(await to.read('job', 'mail', 0, 2))).toEqual([
      { seq: 1, body: 'a' },
      { seq: 2, body: 'b' },
    ]);
    expect(get(await to.read('job', 'mail', 2, 2))).toEqual([{ seq: 3, body: 'c' }]);
    expect(get(await to.read('job', 'mail', 3, 2))).toEqual([]);
  });

  inSpace('G7: rows of many writers at once keep the order of each, and none is lost', async (open) => {
    const writers = await Promise.all(Array.from({ length: 4 }, open));
    const write = async (engine: Engine, writer: number) => {
      for (let at = 0; at < 25; at++) get(await engine.append('job', [row('mail', `${writer}-${at}`)]));
    };
    await Promise.all(writers.map(write));
    const [reader] = writers;
    const bodies = get(await reader?.read('job', 'mail', 0, 1000)).map(({ body }) => body);
    expect(bodies).toHaveLength(100);
    for (let writer = 0; writer < 4; writer++)
      expect(bodies.filter((body) => body.startsWith(`${writer}-`))).toEqual(
        Array.from({ length: 25 }, (_, at) => `${writer}-${at}`),
      );
  });

  inSpace('a job that was removed has no rows, and its worker is refused', async (open) => {
    const engine = await open();
    const epoch = get(await engine.claim('job'));
    get(await engine.append('job', [row('events', 'a')], epoch));
    get(await engine.remove('job'));
    expect(get(await engine.read('job', 'events', 0, 10))).toEqual([]);
    expect(get(await engine.append('job', [row('events', 'b')], epoch))).toBe('stale');
    expect(get(await engine.claim('job'))).toBeGreaterThan(epoch);
  });

  inSpace('G6: all workers see the pause of a key, until it is over', async (open, under) => {
    const [one, other] = [await open(), await open()];
    get(await one.note('pause', 'anthropic key', 'retry later', leaseMs));
    const [pause] = get(await other.notes('pause'));
    expect(pause).toMatchObject({ id: 'anthropic key', body: 'retry later' });
    expect(pause?.forMs).toBeLessThanOrEqual(leaseMs);
    expect(get(await other.notes('worker'))).toEqual([]);
    await under.passLease(leaseMs);
    expect(get(await other.notes('pause'))).toEqual([]);
  });

  inSpace('the bell wakes those that listen', async (open) => {
    const [one, other] = [await open(), await open()];
    const heard = Promise.withResolvers<string>();
    const stop = other.listen(heard.resolve);
    let topic: string | undefined;
    heard.promise.then((found) => {
      topic = found;
    });
    // A bell that rings before the listener is connected is lost, as it may be.
    while (topic === undefined) {
      get(await one.ring('jobs'));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    stop();
    expect(topic).toBe('jobs');
  });

  inSpace('while the server is away calls fail, and afterwards everything is there', async (open, under) => {
    const engine = await open();
    let rings = 0;
    engine.listen(() => rings++);
    get(await engine.enqueue({ id: 'one', label: 'any', priority: 0 }));
    get(await engine.append('job', [row('mail', 'a')]));
    expect(get(await engine.take('none'))).toBeUndefined();
    expect(get(await engine.take('any'))?.id).toBe('one');
    await under.kill();
    const refused = await engine.append('job', [row('mail', 'b')]);
    expect(refused).toMatchObject({ ok: false, problem: { kind: 'failure' } });
    expect((await engine.take('any')).ok).toBe(false);
    await under.restart();
    while (!(await engine.append('job', [row('mail', 'b')])).ok)
      await new Promise((go) => setTimeout(go, 50));
    expect(get(await engine.read('job', 'mail', 0, 10)).map(({ body }) => body)).toEqual(['a', 'b']);
    await under.passLease(leaseMs);
    expect((await takeSoon(engine, 'any', under))?.id).toBe('one');
    while (rings === 0) {
      await engine.ring('jobs');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}

/** Dead workers are looked for now and then, not at every call. */
async function takeSoon(engine: Engine, label: string, under: EngineUnderTest) {
  for (;;) {
    const taken = await engine.take(label);
    if (taken.ok && taken.value) return taken.value;
    await under.passLease(50);
  }
}

function row(stream: string, body: string) {
  return { stream, key: body, body };
}

function get<T>(result: Result<T> | undefined): T {
  if (!result) throw new Error('there is nothing to ask');
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}
