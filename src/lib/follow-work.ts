/**
 * Yields what a piece of work reports while it goes on, and returns its end. A reader that leaves does not end the work: to
 * cancel it, abort the signal it was given.
 */
export async function* followWork<Item, End>(
  start: (report: (item: Item) => void) => Promise<End>,
): AsyncGenerator<Item, End> {
  const items: Item[] = [];
  let isOver = false;
  let wake = () => {};
  const end = start((item) => {
    items.push(item);
    wake();
  });
  const settle = () => {
    isOver = true;
    wake();
  };
  end.then(settle, settle);
  for (;;) {
    for (const item of items.splice(0)) yield item;
    if (items.length > 0) continue;
    if (isOver) return await end;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
