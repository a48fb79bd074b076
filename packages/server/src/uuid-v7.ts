import { randomFillSync } from 'node:crypto';

/** Generates UUIDv7 ids: id order is time order, even for ids that one generator creates in the same millisecond. */
export interface IdGenerator {
  /** An id whose first 48 bits are `at`, in milliseconds since the epoch. */
  next(at: Date): string;
}

/** The ASCII codes of the two hexadecimal digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1'));
const HIGH = Uint8Array.from(HEX, ([high = 0]) => high);
const LOW = Uint8Array.from(HEX, ([, low = 0]) => low);

/** Where the random bytes of an id are in its text. */
const RANDOM_AT = [19, 21, 24, 26, 28, 30, 32, 34];
const TEMPLATE = '00000000-0000-7000-8000-000000000000';

/**
 * RFC 9562, section 6.2, method 1: within a millisecond, a counter in the 12 bits after the version keeps the order. It starts below 2,048
 * to leave room, and when it is full, ids borrow the next millisecond.
 */
export function createIdGenerator(): IdGenerator {
  const random = Buffer.alloc(1_024 * 8);
  let offset = random.length;
  let lastMs = 0;
  let counter = 0;
  /** The last id. Ids are written into it, because concatenated strings cost twice as much. */
  const text = Buffer.from(TEMPLATE, 'latin1');
  /** The millisecond in it. */
  let writtenMs = 0;

  /** The offset in `random` of this many fresh bytes. */
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
    // If the clock went back, ids continue from the last one: order matters more than the exact millisecond.
    if (lastMs !== writtenMs) {
      const head = lastMs.toString(16).padStart(12, '0');
      text.write(`${head.slice(0, 8)}-${head.slice(8)}`, 'latin1');
      writtenMs = lastMs;
    }
    text[15] = LOW[counter >> 8] ?? 0;
    text[16] = HIGH[counter & 0xff] ?? 0;
    text[17] = LOW[counter & 0xff] ?? 0;
    const tail = takeRandom(RANDOM_AT.length);
    random[tail] = ((random[tail] ?? 0) & 0x3f) | 0x80;
    for (let index = 0; index < RANDOM_AT.length; index += 1) {
      const byte = random[tail + index] ?? 0;
      const at = RANDOM_AT[index] ?? 0;
      text[at] = HIGH[byte] ?? 0;
      text[at + 1] = LOW[byte] ?? 0;
    }
    return text.toString('latin1');
  }

  return { next };
}

/** The smallest id of the moment that is this long after the creation of another id. */
export function idFloorAfter(id: string, afterMs: number): string {
  // A caller may pass an id from the end of time, which no later id can follow.
  const atMs = Math.min(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + afterMs, 2 ** 48 - 1);
  const head = atMs.toString(16).padStart(12, '0');
  return `${head.slice(0, 8)}-${head.slice(8)}-7000-8000-000000000000`;
}

/** The moment when an id was created, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** RFC 9562, section 4: written in lower case, read in either. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a string has the form of an id. Anything else identifies nothing and must not reach a uuid column. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
