/** Room for octets that are on their way to somebody. What is larger than the room gets in alone. */
export interface WireRoom<Who> {
  /** Who waits the longest. */
  readonly first: Who | undefined;
  /**
   * Takes room, and answers what gives it back; null where there is none, and then nobody else gets any before whoever asked first.
   * Nothing calls back: the one who waits asks again when room was given back.
   */
  take(who: Who, octets: number): (() => void) | null;
  /** Gives up a place in the line. */
  forget(who: Who): void;
}

export function createWireRoom<Who>(limit: number): WireRoom<Who> {
  const line = new Set<Who>();
  let inside = 0;
  return {
    get first() {
      const [first] = line;
      return first;
    },
    take(who, octets) {
      const [first = who] = line;
      if (first !== who || (inside > 0 && inside + octets > limit)) {
        line.add(who);
        return null;
      }
      line.delete(who);
      inside += octets;
      return () => {
        inside -= octets;
      };
    },
    forget: (who) => void line.delete(who),
  };
}
