/** A budget of bytes in transit, first come, first served. A request above the whole budget runs alone. */
export interface ByteBudget<Owner> {
  /** The longest waiting owner. */
  readonly first: Owner | undefined;
  /**
   * Takes bytes and returns the function that gives them back; null when there are not enough, and then the owner is queued and no one else gets
   * any before the first in the queue. There is no callback: the owner asks again after bytes were given back.
   */
  take(owner: Owner, bytes: number): (() => void) | null;
  /** Leaves the queue. */
  forget(owner: Owner): void;
}

export function createByteBudget<Owner>(limit: number): ByteBudget<Owner> {
  const queue = new Set<Owner>();
  let acquired = 0;
  return {
    get first() {
      const [first] = queue;
      return first;
    },
    take(owner, bytes) {
      const [first = owner] = queue;
      if (first !== owner || (acquired > 0 && acquired + bytes > limit)) {
        queue.add(owner);
        return null;
      }
      queue.delete(owner);
      acquired += bytes;
      return () => {
        acquired -= bytes;
      };
    },
    forget: (owner) => void queue.delete(owner),
  };
}
