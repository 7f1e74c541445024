import type { Session } from '../session/session.ts';

/** Earlier prompts, oldest first. */
export interface TypedHistory {
  list(): readonly string[];
  add(text: string): void;
}

const maxKnown = 500;

/** Prompts typed in this directory, in this session and in others. */
export function openHistory(session: Session): TypedHistory {
  const texts: string[] = [];
  const { cwd, id: sessionId } = session.info();
  const kept = session.prompts();
  void kept.then((store) => {
    const found = store.find({ cwd, limit: maxKnown });
    if (found.ok) texts.unshift(...found.value.map(({ text }) => text).reverse());
  });
  return {
    list: () => texts,
    add(text) {
      if (text.trim() === '') return;
      if (texts.at(-1) !== text) texts.push(text);
      void kept.then((store) => store.add({ text, cwd, sessionId }));
    },
  };
}
