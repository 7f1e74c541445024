/** What was typed before, oldest first; across sessions where it is kept. */
export interface PromptHistory {
  list(): readonly string[];
  add(text: string): void;
}

/** Of this run alone. */
export function shortHistory(): PromptHistory {
  const texts: string[] = [];
  return {
    list: () => texts,
    add(text) {
      if (text.trim() !== '' && texts.at(-1) !== text) texts.push(text);
    },
  };
}
