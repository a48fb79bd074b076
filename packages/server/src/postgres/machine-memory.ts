import { totalmem } from 'node:os';

/** The memory that this process and its children may use together. */
export function memoryBytes(): number {
  const limit = process.constrainedMemory();
  // Without a limit, the value is 0 or larger than any memory.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
