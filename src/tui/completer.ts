import type { App } from './app.ts';
import { type CandidateIndex, type Completion, complete, findCompletion, rank } from './editor/index.ts';
import type { Key } from './keys/key.ts';
import type { MenuItem } from './state.ts';

export interface CompletionSources {
  commands(): readonly MenuItem[];
  /** Agents that can be addressed, by name. */
  agents(): readonly MenuItem[];
  /** Types that agents can be started as: `agent-NAME`. */
  agentTypes(): readonly MenuItem[];
  /** `again`: list once more instead of using the last list. */
  files(again: boolean): Promise<CandidateIndex>;
}

const maxItems = 50;

/** The list of suggestions at the cursor; it follows every key. */
export class Completer {
  #asked = 0;
  #isMention = false;

  constructor(
    private readonly app: App,
    private readonly sources: CompletionSources,
  ) {}

  /** After the text has changed. */
  update(): void {
    const { editor } = this.app.state;
    const completion = findCompletion(editor);
    const turn = ++this.#asked;
    // Files appear all the time, so each `@` lists them again.
    const begins = !this.#isMention || completion.query === '';
    this.#isMention = completion.kind === 'file' || completion.kind === 'agent';
    if (completion.kind === 'none') return void this.#show(completion, []);
    if (completion.kind === 'command')
      return void this.#show(completion, this.#ranked(completion, this.sources.commands()));
    const types = this.sources.agentTypes();
    if (completion.kind === 'agent') {
      // The beginning is typed already.
      const rest = types.map(({ value, note }) => ({ value: value.replace(/^agent-/, ''), note }));
      return void this.#show(completion, this.#ranked(completion, rest));
    }
    const agents = this.#ranked(completion, this.sources.agents());
    const kinds = this.#ranked(completion, types);
    // Letters mostly mean a file.
    const isOpen = completion.query === '';
    this.#show(completion, [...agents, ...kinds]);
    void this.sources.files(begins).then((files) => {
      // The text may have been sent meanwhile; no key changed it then.
      if (turn !== this.#asked || this.app.state.editor.text !== editor.text) return;
      const found = rank(completion.query, files, maxItems).map(({ text }) => ({ value: text, note: '' }));
      this.#show(completion, isOpen ? [...agents, ...kinds, ...found] : [...agents, ...found, ...kinds]);
    });
  }

  /** True when the key was for the list. */
  press(key: Key): boolean {
    const { menu, editor } = this.app.state;
    if (!menu || key.ctrl || key.alt) return false;
    const move = (by: number) => {
      const selected = (menu.selected + by + menu.items.length) % menu.items.length;
      this.app.change({ menu: { ...menu, selected } });
      return true;
    };
    if (key.name === 'up') return move(-1);
    if (key.name === 'down') return move(1);
    if (key.name === 'escape') {
      this.app.change({ menu: undefined });
      return true;
    }
    const item = menu.items[menu.selected];
    const isChosen = key.name === 'tab' && !key.shift;
    // Return sends a command that is complete; anything else is completed first.
    const isWritten = item?.value === menu.completion.query || menu.completion.kind === 'command';
    if (!item || (!isChosen && (key.name !== 'return' || isWritten))) return false;
    this.app.change({ editor: complete(editor, menu.completion, item.value), menu: undefined });
    return true;
  }

  #ranked({ query }: Completion, items: readonly MenuItem[]): MenuItem[] {
    if (query === '') return [...items];
    const names = items.map(({ value }) => value);
    return rank(query, names, maxItems).flatMap(({ index }) => items[index] ?? []);
  }

  #show(completion: Completion, items: readonly MenuItem[]): void {
    const isThere = this.app.state.menu !== undefined;
    if (items.length > 0) this.app.change({ menu: { completion, items, selected: 0 } });
    else if (isThere) this.app.change({ menu: undefined });
  }
}
