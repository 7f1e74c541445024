import { expect } from 'bun:test';
import type { Result } from '../../src/lib/result.ts';
import type {
  ExecutedMember,
  ExecutorType,
  TeammateExecutor,
  TeammateSpec,
} from '../../src/team/executors/executor.ts';
import { until } from '../support/index.ts';

/** An executor to be tested, and the other side of it: the teammates that it runs. */
export interface ExecutorCase {
  executor: TeammateExecutor;
  spec(name: string, more?: Partial<TeammateSpec>): TeammateSpec;
  /** Resolves when the teammate runs, with what it was started with. */
  received(name: string): Promise<TeammateSpec>;
  /** What was typed to it. */
  typed(name: string): string;
  /** What it was asked to end for: `name: reason`. */
  asked: readonly string[];
  /** Lets it end by itself. */
  finish(name: string): Promise<void>;
  /** Panes and files that were not there before. */
  leftovers(): string[];
}

type Test = (name: string, body: () => Promise<void>, timeoutMs?: number) => void;

/** What every executor does alike (TM2). After each test nothing is left over. */
export function executorConformance(
  type: ExecutorType,
  open: () => ExecutorCase,
  given: Test,
  place: string = type,
): void {
  const test = (name: string, body: (at: ExecutorCase) => Promise<void>) =>
    given(`TM2 ${place}: ${name}`, async () => {
      const at = open();
      await body(at);
      expect(at.leftovers()).toEqual([]);
    });
  const start = async (at: ExecutorCase, name: string) => {
    const { executor, spec, received } = at;
    const spawned = must(await executor.spawn(spec(name)));
    await received(name);
    const member: ExecutedMember = { name, team: 'docs', ...(spawned.pane ? { pane: spawned.pane } : {}) };
    return { ...at, spawned, member };
  };
  const goneSoon = async (executor: TeammateExecutor, member: ExecutedMember) => {
    for (let isActive = true; isActive; isActive = await executor.isActive(member)) await aMoment();
  };

  test('it is available, and says its type', async (at) => {
    const { executor } = at;
    expect(await executor.isAvailable()).toEqual({ ok: true, value: undefined });
    expect(executor.type).toBe(type);
  });

  test('a teammate gets all of its spec, and runs', async (at) => {
    const { executor, spec, received } = at;
    const prompt = 'Read "a.txt"; `b` $(c)\n#{pane_id} %H é 🙂\n';
    const wanted = spec('ann', { prompt, model: 'haiku', environment: { KEY: 'secret-word' } });
    const spawned = must(await executor.spawn(wanted));
    expect(spawned).toMatchObject({ agentId: 'agent-ann', taskId: 'task-ann' });
    expect(await received('ann')).toMatchObject({ ...wanted });
    expect(await executor.isActive({ name: 'ann', team: 'docs' })).toBe(true);
    must(await executor.kill({ name: 'ann', team: 'docs' }));
  });

  test('a name that runs is not started twice', async (at) => {
    const { executor, spec, member } = await start(at, 'bea');
    expect(await executor.spawn(spec('bea'))).toMatchObject({
      ok: false,
      problem: { message: 'bea@docs is already running.' },
    });
    must(await executor.kill(member));
  });

  test("the user's words reach it as typed, on one line", async (at) => {
    const { executor, member, typed } = await start(at, 'cyd');
    const words = 'Stop; "now" $(touch x) `y` #{pane_id} #(z) -n é;';
    must(await executor.sendMessage(member, words));
    await until(() => typed('cyd').includes('é;'));
    expect(typed('cyd').trim()).toBe(words);
    must(await executor.kill(member));
  });

  test("control characters in the user's words are not keys", async (at) => {
    const { executor, member, typed } = await start(at, 'dan');
    must(await executor.sendMessage(member, 'one\u0003two\u001b[Athree\nfour'));
    await until(() => typed('dan').includes('four'));
    expect(typed('dan').trim()).toBe('one\\x03two\\x1b[Athree four');
    expect(await executor.isActive(member)).toBe(true);
    must(await executor.kill(member));
  });

  test('terminate asks, and the teammate may finish', async (at) => {
    const { executor, member, asked, finish, leftovers } = await start(at, 'eve');
    must(await executor.terminate(member, 'the work is done'));
    expect(asked).toContain('eve: the work is done');
    expect(await executor.isActive(member)).toBe(true);
    await finish('eve');
    await goneSoon(executor, member);
    await until(() => leftovers().length === 0);
  });

  test('kill ends it at once, and twice does no harm', async (at) => {
    const { executor, member } = await start(at, 'fay');
    must(await executor.kill(member));
    expect(await executor.isActive(member)).toBe(false);
    must(await executor.kill(member));
    expect(await executor.sendMessage(member, 'Hello')).toMatchObject({
      ok: false,
      problem: { message: 'fay@docs is not running.' },
    });
  });

  test('abort of what spawn returned ends it too', async (at) => {
    const { executor, member, spawned, leftovers } = await start(at, 'gus');
    spawned.abort();
    await goneSoon(executor, member);
    await until(() => leftovers().length === 0);
  });

  test('a teammate that ended by itself is not active, and its name can be used again', async (at) => {
    const { executor, member, spec, received, finish } = await start(at, 'hal');
    await finish('hal');
    await goneSoon(executor, member);
    must(await executor.spawn(spec('hal')));
    await received('hal');
    const again = { name: 'hal', team: 'docs' };
    expect(await executor.isActive(again)).toBe(true);
    must(await executor.kill(again));
  });

  test('two that are started at once do not disturb each other', async (at) => {
    const { executor, spec, received } = at;
    const both = await Promise.all(['ida', 'jon'].map((name) => executor.spawn(spec(name))));
    expect(both.map((one) => one.ok)).toEqual([true, true]);
    await Promise.all(['ida', 'jon'].map(received));
    must(await executor.kill({ name: 'ida', team: 'docs' }));
    expect(await executor.isActive({ name: 'jon', team: 'docs' })).toBe(true);
    must(await executor.kill({ name: 'jon', team: 'docs' }));
  });
}

export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
