/** FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = fractionsOfRoots(64, 1 / 3);
/** FIPS 180-4, 5.3.3: the same of the square roots of the first eight. */
const INITIAL_STATE = fractionsOfRoots(8, 1 / 2);

const BLOCK_BYTES = 64;

/**
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4) in plain arithmetic. The platforms' own is either a Node module or returns a promise, and a
 * verification without its `await` would accept everything.
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = sha256(joinBytes([block.map((byte) => byte ^ 0x36), message]));
  return sha256(joinBytes([block.map((byte) => byte ^ 0x5c), inner]));
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function sha256(message: Uint8Array): Uint8Array {
  const padded = pad(message);
  const view = new DataView(padded.buffer);
  const state = Uint32Array.from(INITIAL_STATE);
  const schedule = new Uint32Array(BLOCK_BYTES);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    fillSchedule(schedule, view, at);
    compress(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(4 * state.length));
  state.forEach((word, index) => {
    digest.setUint32(4 * index, word);
  });
  return new Uint8Array(digest.buffer);
}

/** FIPS 180-4, 5.1.1: a one, zeros, and the length in bits as 64 of them, up to a whole block. */
function pad(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  return padded;
}

function fillSchedule(schedule: Uint32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) schedule[i] = view.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const early = wordAt(schedule, i - 15);
    const late = wordAt(schedule, i - 2);
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[i] = wordAt(schedule, i - 16) + sigma0 + wordAt(schedule, i - 7) + sigma1;
  }
}

/** FIPS 180-4, 6.2.2, step 3, with the standard's variable names. */
function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + sum1 + choice + wordAt(ROUND_CONSTANTS, i) + wordAt(schedule, i)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = wordAt(state, index) + word;
  });
}

/** Every index used here is within its array. */
function wordAt(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionsOfRoots(count: number, exponent: number): Uint32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  // Doubles have 53 bits, of which the integer part of these roots needs at most five.
  return Uint32Array.from(primes, (prime) => (prime ** exponent % 1) * 2 ** 32);
}
