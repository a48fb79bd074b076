/** Collects what is given in one turn of the event loop, and hands it over together: one statement instead of hundreds. */
export function gather<Item>(take: (items: readonly Item[]) => void): (item: Item) => void {
  let gathered: Item[] = [];
  return (item) => {
    if (gathered.push(item) > 1) return;
    setImmediate(() => {
      const items = gathered;
      gathered = [];
      take(items);
    });
  };
}
