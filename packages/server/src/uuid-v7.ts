import { randomFillSync } from 'node:crypto';

/** Makes UUIDv7 ids: time order is id order, also for ids made in the same millisecond by one generator. */
export interface IdGenerator {
  /** An id whose first 48 bits are `at`, in milliseconds since the epoch. */
  next(at: Date): string;
}

/**
 * RFC 9562, section 6.2, method 1: within a millisecond a counter in the 12 bits after the version keeps the order; it starts below 2,048
 * so that it has room, and when it is full the ids borrow the next millisecond.
 */
export function createIdGenerator(): IdGenerator {
  const random = Buffer.alloc(1_024 * 8);
  let offset = random.length;
  let lastMs = 0;
  let counter = 0;

  /** Where in `random` so many fresh octets are. */
  function takeRandom(count: number): number {
    if (offset + count > random.length) {
      randomFillSync(random);
      offset = 0;
    }
    offset += count;
    return offset - count;
  }

  function next(at: Date): string {
    const nowMs = at.getTime();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      counter = random.readUInt16BE(takeRandom(2)) & 0x7ff;
    } else {
      counter += 1;
      if (counter > 0xfff) {
        lastMs += 1;
        counter = 0;
      }
    }
    // Behind a clock that went back, ids go on from the last one: order matters more than the exact millisecond.
    const head = lastMs.toString(16).padStart(12, '0');
    const tail = takeRandom(8);
    random[tail] = ((random[tail] ?? 0) & 0x3f) | 0x80;
    const hex = random.toString('hex', tail, tail + 8);
    const sequence = counter.toString(16).padStart(3, '0');
    return `${head.slice(0, 8)}-${head.slice(8)}-7${sequence}-${hex.slice(0, 4)}-${hex.slice(4)}`;
  }

  return { next };
}

/** The least id of the moment that lies so long after the one in which another id was made. */
export function idFloorAfter(id: string, afterMs: number): string {
  // A caller's own id may be of the end of time, behind which there is no later one.
  const atMs = Math.min(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + afterMs, 2 ** 48 - 1);
  const head = atMs.toString(16).padStart(12, '0');
  return `${head.slice(0, 8)}-${head.slice(8)}-7000-8000-000000000000`;
}

/** The moment that an id was made in, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** RFC 9562, section 4: written in lower case, read in either. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether text has the form of an id; anything else names nothing, and must not reach a uuid column. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
