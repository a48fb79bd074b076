/** Covers about a minute: ids begin with the time. */
export const CHARACTERS_MIN = 8;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const [EARLIEST, LATEST] = ['00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'];

/** Whether a text is the beginning of an id (UUID version 7), but not a whole one. */
export function isIdPrefix(text: string): boolean {
  return text.length >= CHARACTERS_MIN && text.length < EARLIEST.length && ID.test(complete(text, EARLIEST));
}

/** Whether a text could be meant as the beginning of an id, but has too few characters. */
export function isTooShort(text: string): boolean {
  return text.length >= 4 && text.length < CHARACTERS_MIN && /^[0-9a-f]+$/i.test(text);
}

/** The time span of the ids with this prefix, with some tolerance for the clock of the database. */
export function spanOf(prefix: string): { readonly from: string; readonly to: string } {
  const at = (filler: string, leewayMs: number) => {
    const digits = complete(prefix, filler).replace('-', '').slice(0, 12);
    return new Date(Number.parseInt(digits, 16) + leewayMs).toISOString();
  };
  return { from: at(EARLIEST, -LEEWAY_MS), to: at(LATEST, LEEWAY_MS) };
}

const LEEWAY_MS = 60_000;

function complete(prefix: string, filler: string): string {
  return prefix.toLowerCase() + filler.slice(prefix.length);
}
