/** Collects the items of one tick of the event loop into one batch: one statement instead of hundreds. */
export function batchPerTick<Item>(take: (items: readonly Item[]) => void): (item: Item) => void {
  let collected: Item[] = [];
  return (item) => {
    if (collected.push(item) > 1) return;
    setImmediate(() => {
      const items = collected;
      collected = [];
      take(items);
    });
  };
}
