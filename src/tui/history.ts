import type { Result } from '../lib/result.ts';
import type { Session } from '../session/session.ts';

/** What was typed before, oldest first. */
export interface PromptHistory {
  list(): readonly string[];
  add(text: string): void;
}

/** The part of a session that keeps what is typed over all sessions; it may be without. */
interface KeepsPrompts {
  prompts(): Promise<{
    add(entry: { text: string; cwd: string; sessionId?: string }): Promise<unknown>;
    find(query: { cwd: string; limit: number }): Result<{ text: string }[]>;
  }>;
}

const mostKnown = 500;

/** What was typed in this directory, also in other sessions where it is kept. */
export function historyOf(session: Session): PromptHistory {
  const texts: string[] = [];
  const { cwd, id: sessionId } = session.info();
  const keeper = session as Session & Partial<KeepsPrompts>;
  const kept = keeper.prompts?.();
  void kept?.then((store) => {
    const found = store.find({ cwd, limit: mostKnown });
    if (found.ok) texts.unshift(...found.value.map(({ text }) => text).reverse());
  });
  return {
    list: () => texts,
    add(text) {
      if (text.trim() === '') return;
      if (texts.at(-1) !== text) texts.push(text);
      void kept?.then((store) => store.add({ text, cwd, sessionId }));
    },
  };
}
