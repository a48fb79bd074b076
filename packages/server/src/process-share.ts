/**
 * The part of a limit of the whole server that each of its processes enforces. Rounded up, so that small limits stay usable.
 * @param least the minimum that one process needs
 */
export function shareOf(limit: number, processes: number, least = 1): number {
  return Math.max(least, Math.ceil(limit / processes));
}

/**
 * The part of a limit for each client. Connections are dealt to the processes in turn over all clients, so those of one client are unevenly
 * distributed: the slack is three standard deviations. Never more than the whole limit.
 */
export function clientShareOf(limit: number, processes: number): number {
  const share = shareOf(limit, processes);
  return processes === 1 ? limit : Math.min(limit, Math.ceil(share + 3 * Math.sqrt(share)));
}

/** One of the processes of a server, and how many there are. */
export interface ProcessPlace {
  /** From 1. */
  readonly process: number;
  readonly processes: number;
}

export const ONLY_PROCESS: ProcessPlace = { process: 1, processes: 1 };

/**
 * The part of a limit that other servers set, such as the connections that they accept. The parts of all processes add up to the limit, so
 * some are 0 if there are more processes than that.
 * @param name of what is limited; for each name, other processes get the remainder
 */
export function exactShareOf(limit: number, { process, processes }: ProcessPlace, name = ''): number {
  const position = (process + hashOf(name)) % processes;
  return Math.floor(limit / processes) + (position < limit % processes ? 1 : 0);
}

/** The same, but at least 1, for what every process needs. */
export function strictShareOf(limit: number, place: ProcessPlace): number {
  return Math.max(1, exactShareOf(limit, place));
}

/** FNV-1a. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
