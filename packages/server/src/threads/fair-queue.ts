/**
 * A queue that serves its groups in round-robin order, and the members within a group too: a long backlog of one delays
 * the others by one item at a time.
 */
export interface FairQueue<Item> {
  readonly size: number;
  add(group: string, member: string, item: Item): void;
  remove(item: Item): void;
  /** Removes the next item of a group that is ready; undefined if there is none. */
  take(isAllowed?: (group: string) => boolean): Item | undefined;
  /** Whether `take` would return an item. */
  has(isAllowed: (group: string) => boolean): boolean;
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // A Map keeps insertion order: the group or member that was served moves to the end.
  const groups = new Map<string, Map<string, Item[]>>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    add(group, member, item) {
      const members = groups.get(group) ?? new Map<string, Item[]>();
      const items = members.get(member);
      if (items === undefined) members.set(member, [item]);
      else items.push(item);
      groups.set(group, members);
      size += 1;
    },
    remove(item) {
      for (const [group, members] of groups) {
        for (const [member, items] of members) {
          const at = items.indexOf(item);
          if (at === -1) continue;
          items.splice(at, 1);
          size -= 1;
          if (items.length === 0) members.delete(member);
          if (members.size === 0) groups.delete(group);
          return;
        }
      }
    },
    take(isAllowed = () => true) {
      for (const [group, members] of groups) {
        if (!isAllowed(group)) continue;
        const [first] = members;
        if (first === undefined) continue;
        const [member, items] = first;
        const item = items.shift();
        members.delete(member);
        if (items.length > 0) members.set(member, items);
        groups.delete(group);
        if (members.size > 0) groups.set(group, members);
        size -= 1;
        return item;
      }
      return undefined;
    },
    has: (isAllowed) => [...groups.keys()].some(isAllowed),
  };
}
