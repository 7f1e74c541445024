import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findTask } from '../../src/commands/tasks/find-task.ts';
import { stopTask } from '../../src/commands/tasks/stop-task.ts';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { createLayout } from '../../src/store/layout.ts';
import { findSession } from '../../src/store/sessions.ts';
import { readTasks } from '../../src/store/task-records.ts';
import {
  call,
  calls,
  type FakeProvider,
  type FixedTurn,
  failWith,
  fakeProvider,
  hang,
  say,
} from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { follow, type Place, place, recordsOf } from './support.ts';

const hour = 3_600_000;

/** Agents that work for ever, a process that dies with them, and a limit that comes later and has nothing to do with them. */
class Crashed {
  readonly clock: ManualClock = manualClock(1_000_000);
  at: Place = place();
  isLimited = false;
  /** Requests of agents. */
  asked = 0;
  #id = '';

  constructor(
    private readonly background: boolean,
    readonly provider: { current: FakeProvider | undefined } = { current: undefined },
  ) {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider.current?.[Symbol.asyncDispose]();
  }

  /** The process is killed while its agents run; it writes on where nobody reads. */
  async begin(): Promise<void> {
    this.provider.current = await fakeProvider({
      script: ({ messages }) => this.#answer(JSON.stringify(messages), messages.length),
    });
    const first = await this.open();
    this.#id = first.session.id;
    first.session.send({ type: 'prompt', content: 'Start.' });
    await until(() => this.asked === 2);
    this.#moveAway();
    await first.session.close();
  }

  async open(options: SessionOptions = {}) {
    const { cwd, environment } = this.at;
    mkdirSync(cwd, { recursive: true });
    const opened = await openSession({
      ...{ cwd, clock: this.clock, sandbox: false, permissionMode: 'acceptEdits' as const, oneShot: true },
      environment: {
        ...environment,
        ANTHROPIC_BASE_URL: this.provider.current?.url ?? '',
        ANTHROPIC_API_KEY: 'key',
      },
      ...(this.#id === '' ? {} : { resume: { from: 'id' as const, id: this.#id } }),
      ...options,
    });
    if (!opened.ok) throw new Error(opened.problem.message);
    return follow(opened.value, undefined as never);
  }

  async stopAgents(): Promise<string[]> {
    const { cwd, environment } = this.at;
    const around = lookAround({ cwd, environment, clock: this.clock });
    const stored = await findSession(createLayout(this.at.home), this.#id);
    const tasks = stored.ok ? await readTasks(stored.value.path) : stored;
    if (!tasks.ok) throw new Error(tasks.problem.message);
    const said: string[] = [];
    for (const { task } of tasks.value) {
      const found = await findTask(around, task.id, { session: this.#id });
      if (!found.ok) throw new Error(found.problem.message);
      const stopped = await stopTask(around, found.value);
      said.push(stopped.ok ? stopped.value.message : stopped.problem.message);
    }
    return said;
  }

  /** A limit that comes with the next prompt, and its end. */
  async limitAndReset(): Promise<boolean> {
    this.isLimited = true;
    const limited = await this.open();
    await limited.prompt('Another thing.');
    await limited.session.close();
    this.isLimited = false;
    this.clock.advance(5 * hour + 2_000);
    const last = await this.open();
    const goesOn = last.session.continueSuspended();
    if (goesOn) await last.runs(1);
    await last.session.close();
    return goesOn;
  }

  #moveAway(): void {
    const { cwd, home, environment } = this.at;
    const userHome = join(home, '..', '..', 'user-2');
    const moved = join(userHome, '.cadre');
    cpSync(home, moved, { recursive: true, filter: (path) => !path.endsWith('/sockets') });
    rmSync(join(moved, 'running'), { recursive: true, force: true });
    this.at = { cwd, home: moved, environment: { ...environment, HOME: userHome, CADRE_HOME: moved } };
  }

  #answer(text: string, length: number): FixedTurn {
    if (/"text":"job-[ab]"/.test(text)) {
      this.asked++;
      return hang();
    }
    if (this.isLimited)
      return failWith({
        ...{ kind: 'rate_limited', message: 'Used up.', status: 429, retryAfterMs: 5 * hour },
      });
    if (length > 1) return say('Seen.');
    return calls(
      ['job-a', 'job-b'].map((prompt) =>
        call('Agent', {
          ...{ description: prompt, prompt, subagent_type: 'general-purpose' },
          run_in_background: this.background,
        }),
      ),
    );
  }
}

for (const background of [true, false])
  test(`G4 agents that were reported dead do not run again after a limit that comes later (${background ? 'background' : 'waited for'})`, async () => {
    await using crashed = new Crashed(background);
    await crashed.begin();
    const second = await crashed.open();
    await second.prompt('Something else.');
    const ends = (await recordsOf(second.session)).flatMap((record) =>
      record.type === 'task-state' && record.end ? [record.end.outcome] : [],
    );
    expect(ends).toEqual(['interrupted', 'interrupted']);
    await second.session.close();
    expect(await crashed.limitAndReset()).toBe(true);
    expect(crashed.asked).toBe(2);
    const last = await crashed.open();
    const told = last.session
      .messages()
      .filter((record) => record.type === 'user' && record.origin.kind === 'task-notification');
    expect(told).toHaveLength(background ? 2 : 0);
    await last.session.close();
  });

test('an agent that is stopped after its process died is recorded as stopped, and reported so once', async () => {
  await using crashed = new Crashed(true);
  await crashed.begin();
  expect(await crashed.stopAgents()).toEqual([
    expect.stringContaining('was stopped'),
    expect.stringContaining('was stopped'),
  ]);
  expect(await crashed.limitAndReset()).toBe(true);
  expect(crashed.asked).toBe(2);
  const last = await crashed.open();
  expect(JSON.stringify(last.session.messages()).split('stopped by the user')).toHaveLength(3);
  await last.session.close();
});

test('a copy of a session that was killed knows that its agents were cut off and run nowhere', async () => {
  await using crashed = new Crashed(true);
  await crashed.begin();
  const copy = await crashed.open({ fork: true });
  await copy.prompt('What now?');
  const heard = JSON.stringify(copy.session.messages());
  expect(heard).toContain('was started there in the background is cut off and runs nowhere: a');
  expect(heard.split('This conversation is a copy of session')).toHaveLength(2);
  await copy.session.close();
});
