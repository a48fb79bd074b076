/**
 * The part of a limit of the whole server that each of its processes enforces. Rounded up, so that small limits stay usable.
 * @param least the minimum that one process needs
 */
export function shareOf(limit: number, processes: number, least = 1): number {
  return Math.max(least, Math.ceil(limit / processes));
}

/** The part of a limit that other servers set, such as the connections that they accept. Rounded down, so that the sum stays below it. */
export function strictShareOf(limit: number, processes: number): number {
  return Math.max(1, Math.floor(limit / processes));
}
