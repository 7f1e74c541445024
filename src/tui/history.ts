import type { ShownSession } from '../session/attached/shown-session.ts';
import { type PastPrompt, restorePrompt } from './editor/index.ts';

/** Earlier prompts, oldest first. */
export interface TypedHistory {
  list(): readonly PastPrompt[];
  add(prompt: PastPrompt): void;
}

const maxKnown = 500;

/** Prompts typed in this directory, in this session and in others. */
export function openHistory(session: ShownSession): TypedHistory {
  const prompts: PastPrompt[] = [];
  const { cwd, id: sessionId } = session.info();
  const kept = session.prompts();
  void kept.then((store) => {
    const found = store.find({ cwd, limit: maxKnown });
    if (found.ok) prompts.unshift(...found.value.map(restorePrompt).reverse());
  });
  return {
    list: () => prompts,
    add(prompt) {
      const { text, pasted } = prompt;
      if (text.trim() === '') return;
      if (prompts.at(-1)?.text === text) prompts.pop();
      prompts.push(prompt);
      void kept.then((store) => store.add({ text, pasted, cwd, sessionId }));
    },
  };
}
