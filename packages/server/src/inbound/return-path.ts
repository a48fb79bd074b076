import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKeys } from '../derived-keys.ts';

/** What a return path is made for: one delivery attempt of a message. */
export interface ReturnPathSubject {
  readonly accountId: string;
  readonly messageId: string;
  /** The positions in the message of all recipients of the delivery attempt. */
  readonly ordinals: readonly number[];
}

/** The content of a return path. Reports to it may only be about these recipients. */
export interface ReadReturnPath {
  /** The account id is between these, inclusive. They are equal if a single recipient leaves space for the whole id. */
  readonly account: { readonly least: string; readonly greatest: string };
  readonly messageId: string;
  /** In ascending order. */
  readonly ordinals: readonly number[];
}

/** Creates and parses the envelope senders of outgoing mail. They are signed, so that a report to one can only be about our mail. */
export interface ReturnPaths {
  /** `b+<id>.<mac>@<domain>`. The local part has the 64 bytes that RFC 5321, section 4.5.3.1.1, allows. */
  addressFor(subject: ReturnPathSubject, domain: string): string;
  /** Null if the address was not made here or was changed. Letters match in either case, because mail systems change the case. */
  read(address: string): ReadReturnPath | null;
}

/** Letters in one case, and only those other characters that every known mail system accepts. */
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz_-';
const BASE = BigInt(DIGITS.length);
/** The length of the digits in an address, without `b+` and the dot. */
const ID_DIGITS = 45;
const ALL_DIGITS = 61;
/** The most digits whose value a double stores exactly. */
const CHUNK_DIGITS = 10;
const CHUNK = BASE ** BigInt(CHUNK_DIGITS);
/** All two-digit numbers. */
const PAIRS = [...DIGITS].flatMap((high) => [...DIGITS].map((low) => high + low));

const TIME_BITS = 42n; // Milliseconds since the epoch, until the year 2109.
const RANDOM_BITS = 74n; // The random bits of a UUIDv7 (RFC 9562).
const ID_BITS = TIME_BITS + RANDOM_BITS;
const ORDINAL_BITS = 6n;
/** One bit for each recipient that a message may have. */
const SET_BITS = 50n;
/** Marks a set of several recipients, so that it never equals the number of a single one. */
const SHARED = 1n << 239n;
/**
 * The bits that remain for the account id next to a whole message id and a set of recipients: the start of the id, so
 * that the primary key finds it. Accounts of one generator always differ there. Others differ unless they were created
 * in the same millisecond and share 31 random bits.
 */
const HEAD_BITS = 73n;
const LOST_BITS = ID_BITS - HEAD_BITS;
const CONTENT_BYTES = 30; // 238 bits for one recipient, 240 for several.
const MAC_BITS = 80n;
const MAC_BYTES = 10;

const ADDRESS = new RegExp(`^b\\+([${DIGITS}]{${ID_DIGITS}})\\.([${DIGITS}]{${ALL_DIGITS - ID_DIGITS}})@[^@]+$`);

/**
 * Two whole ids, the recipient's position and an 80-bit code only fit if the bits that all UUIDv7 share are omitted and
 * everything is written as one number. For several recipients, the set of their positions replaces the last bits of the
 * account id.
 * @param secretKey the installation's 32 bytes. A key for this purpose only is derived from it.
 * @param formerKeys paths made with these are still accepted.
 */
export function createReturnPaths(secretKey: Buffer, formerKeys: readonly Buffer[] = []): ReturnPaths {
  const { present, all } = deriveKeys('postrider return paths', secretKey, formerKeys);
  const macOf = (content: bigint, key: Buffer) =>
    createHmac('sha256', key).update(toBytes(content, CONTENT_BYTES)).digest().subarray(0, MAC_BYTES);

  return {
    addressFor(subject, domain) {
      const content = pack(subject);
      const text = toDigits((content << MAC_BITS) | BigInt(`0x${macOf(content, present).toString('hex')}`));
      return `b+${text.slice(0, ID_DIGITS)}.${text.slice(ID_DIGITS)}@${domain}`;
    },
    read(address) {
      const [, id, mac] = ADDRESS.exec(address.toLowerCase()) ?? [];
      if (id === undefined || mac === undefined) return null;
      const whole = fromDigits(id + mac);
      const content = whole >> MAC_BITS;
      // 61 digits exceed 320 bits.
      if (content >> BigInt(8 * CONTENT_BYTES) !== 0n) return null;
      const given = toBytes(BigInt.asUintN(Number(MAC_BITS), whole), MAC_BYTES);
      return all.some((key) => timingSafeEqual(macOf(content, key), given)) ? unpack(content) : null;
    },
  };
}

/** Whether an address has the form of a return path, including forged ones. */
export function looksLikeReturnPath(address: string): boolean {
  return /^b\+[^@.]+\.[^@.]+@/i.test(address);
}

function pack({ accountId, messageId, ordinals }: ReturnPathSubject): bigint {
  const account = packId(accountId);
  const message = packId(messageId);
  const [only, ...others] = ordinals;
  if (only === undefined) throw new RangeError('a send without recipients has no return path');
  const limit = others.length === 0 ? 1n << ORDINAL_BITS : SET_BITS;
  for (const ordinal of ordinals) {
    if (ordinal < 0 || BigInt(ordinal) >= limit) throw new RangeError(`a message has no recipient ${ordinal}`);
  }
  if (others.length === 0) return (((account << ID_BITS) | message) << ORDINAL_BITS) | BigInt(only);
  const set = ordinals.reduce((bits, ordinal) => bits | (1n << BigInt(ordinal)), 0n);
  return SHARED | ((((account >> LOST_BITS) << ID_BITS) | message) << SET_BITS) | set;
}

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/;

function packId(id: string): bigint {
  const [, high, low, first, second, third] = UUID_V7.exec(id) ?? [];
  const time = high === undefined ? 1n << TIME_BITS : BigInt(`0x${high}${low}`);
  if (time >> TIME_BITS !== 0n) throw new RangeError(`${id} is not an id that was created here`);
  const random = (BigInt(`0x${first}`) << 62n) | BigInt.asUintN(62, BigInt(`0x${second}${third}`));
  return (time << RANDOM_BITS) | random;
}

function unpack(content: bigint): ReadReturnPath {
  if (content < SHARED) {
    const ids = content >> ORDINAL_BITS;
    const id = unpackId(ids >> ID_BITS);
    const ordinals = [Number(BigInt.asUintN(Number(ORDINAL_BITS), content))];
    return { account: { least: id, greatest: id }, messageId: unpackMessage(ids), ordinals };
  }
  const ids = (content - SHARED) >> SET_BITS;
  const least = (ids >> ID_BITS) << LOST_BITS;
  const account = { least: unpackId(least), greatest: unpackId(least + (1n << LOST_BITS) - 1n) };
  return { account, messageId: unpackMessage(ids), ordinals: unpackSet(BigInt.asUintN(Number(SET_BITS), content)) };
}

function unpackSet(set: bigint): readonly number[] {
  const all = Array.from({ length: Number(SET_BITS) }, (_, ordinal) => ordinal);
  return all.filter((ordinal) => ((set >> BigInt(ordinal)) & 1n) === 1n);
}

function unpackMessage(ids: bigint): string {
  return unpackId(BigInt.asUintN(Number(ID_BITS), ids));
}

function unpackId(packed: bigint): string {
  const time = (packed >> RANDOM_BITS).toString(16).padStart(12, '0');
  const first = ((packed >> 62n) & 0xfffn).toString(16).padStart(3, '0');
  const rest = ((0b10n << 62n) | BigInt.asUintN(62, packed)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${first}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}

function toBytes(value: bigint, length: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex');
}

/** Divides by ten digits at a time, so that few big-integer divisions are needed and the rest is arithmetic on doubles. */
function toDigits(value: bigint): string {
  let text = '';
  let left = value;
  while (text.length < ALL_DIGITS - CHUNK_DIGITS) {
    const rest = left / CHUNK;
    text = toChunk(Number(left - rest * CHUNK)) + text;
    left = rest;
  }
  return toChunk(Number(left)).slice(text.length - ALL_DIGITS) + text;
}

function toChunk(value: number): string {
  let text = '';
  let left = value;
  for (let digit = 0; digit < CHUNK_DIGITS; digit += 2) {
    const rest = Math.floor(left / PAIRS.length);
    text = PAIRS[left - rest * PAIRS.length] + text;
    left = rest;
  }
  return text;
}

function fromDigits(text: string): bigint {
  let value = 0n;
  for (const digit of text) value = value * BASE + BigInt(DIGITS.indexOf(digit));
  return value;
}
