import type { AgentKernel } from '../../agents/kernel.ts';
import type { Clock } from '../../lib/clock.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { SessionState, TaskHandle } from '../../protocol/index.ts';
import { dream } from '../../settings/table/settings.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionFeature } from '../opening.ts';
import type { DreamWish } from './proposals.ts';

/** Dreams of a session: those that a program asks for, and the one that runs while the session is idle. */
export interface Dreams {
  start(wish: DreamWish): TaskHandle | undefined;
}

export function dreamFeature(agents: AgentKernel): SessionFeature<Dreams> {
  return {
    name: 'dreams',
    open(kernel) {
      const start = (wish: DreamWish) => startDream(kernel, agents, wish);
      const watch = openWatch(kernel, start);
      const forget = kernel.events.listen((event) => {
        if (event.type === 'state_changed') watch?.note(event.state);
      });
      return {
        start,
        close() {
          forget();
          watch?.close();
        },
      };
    },
  };
}

/** Off unless the user's settings switch it on. */
function openWatch(
  { settings, place }: Kernel,
  start: (wish: DreamWish) => TaskHandle | undefined,
): DreamWatch | undefined {
  const { enabled, idleMinutes = dream.members.idleMinutes.usual, model, maxTokens } = settings.dream ?? {};
  if (enabled !== true) return undefined;
  return new DreamWatch(place.clock, idleMinutes * 60_000, () => start({ model, maxTokens }));
}

/** No agent waits for it and no model hears of it: the user gets a notice and is asked about the proposal. */
function startDream(kernel: Kernel, agents: AgentKernel, wish: DreamWish): TaskHandle | undefined {
  const lead = kernel.roster.find(null);
  if (!lead) return undefined;
  const dreaming = kernel.tasks.spawn({
    kind: 'dream',
    description: describeDream(wish),
    owner: null,
    background: true,
    async run(task) {
      const { dream } = await import('../../agents/dream.ts');
      const { dreamRequest } = await import('./proposals.ts');
      const end = await dream(agents, lead, await dreamRequest(kernel.place, kernel.id, wish), task);
      if (end.status === 'completed' && !task.signal.aborted) agents.notice(`Dream: ${end.text}`);
      return end;
    },
  });
  // Only after it has ended: a user who looks at the question ends whatever runs while they are away.
  void dreaming
    .result()
    .then(({ status }) => (status === 'completed' ? offer(kernel, dreaming.id) : undefined));
  return dreaming;
}

/** On one line and of bounded length, whatever the program or the user wrote. */
function describeDream({ description, about }: DreamWish): string {
  const text = visibleLine(description ?? about ?? '', maxDescription).trim();
  return text || 'review finished sessions for better notes';
}

const maxDescription = 200;

/** Puts the proposal with this id, if there is one, into the queue. A replay must not change files. */
async function offer(kernel: Kernel, id: string): Promise<void> {
  if (!kernel.questions.approvals.attended || kernel.tape) return;
  const { offerProposal } = await import('./proposals.ts');
  await offerProposal(kernel, id);
}

/**
 * Dreams once when the session has been idle for a while, and stops when it is no longer idle. A user who comes back
 * has the machine and the budget to themselves.
 */
class DreamWatch {
  #cancel: (() => void) | undefined;
  #dream: TaskHandle | undefined;
  #over = false;

  constructor(
    private readonly clock: Clock,
    private readonly idleMs: number,
    private readonly start: () => TaskHandle | undefined,
  ) {}

  note(state: SessionState): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (state === 'idle' && !this.#over) {
      this.#cancel = this.clock.after(this.idleMs, () => {
        this.#over = true;
        this.#dream = this.start();
      });
    } else if (state !== 'idle' && this.#dream) {
      void this.#dream.kill('the user resumed work');
      this.#dream = undefined;
    }
  }

  close(): void {
    this.#cancel?.();
    this.#over = true;
  }
}
