/** Lets in what fits, in the order of arrival; the rest waits. */
export interface Gate {
  /** Resolves, once there is room, with what gives the room back. What is larger than the whole gate gets in alone. */
  enter(weight?: number): Promise<() => void>;
}

export function createGate(limit: number): Gate {
  const waiting: { readonly weight: number; readonly open: () => void }[] = [];
  let inside = 0;

  function admit(): void {
    for (let first = waiting[0]; first !== undefined && inside + first.weight <= limit; first = waiting[0]) {
      waiting.shift();
      inside += first.weight;
      first.open();
    }
  }

  return {
    enter: (weight = 1) =>
      new Promise((resolve) => {
        const taken = Math.min(weight, limit);
        const leave = () => {
          inside -= taken;
          admit();
        };
        waiting.push({ weight: taken, open: () => resolve(leave) });
        admit();
      }),
  };
}
