import type { DnsResult } from '../dns/dns-resolver.ts';

/** The result of looking up one record. */
export interface RecordVerdict {
  /** `pending`: the lookup failed, so the result is unknown. */
  readonly status: 'pass' | 'fail' | 'pending';
  /** Why the record fails, or a warning about one that passes; a sentence. */
  readonly reason: string | null;
  /** The values found, shortened and escaped so that they can be stored and shown. */
  readonly found: readonly string[];
}

/** Third-party text is limited, because a host may return anything. */
const MAX_FOUND = 10;
const MAX_FOUND_CHARACTERS = 1_000;

export function pass(found: readonly string[], reason: string | null = null): RecordVerdict {
  return { status: 'pass', reason: reason === null ? null : printable(reason), found: showFound(found) };
}

export function fail(reason: string, found: readonly string[] = []): RecordVerdict {
  return { status: 'fail', reason: printable(reason), found: showFound(found) };
}

export function unknown(reason: string, found: readonly string[] = []): RecordVerdict {
  return { status: 'pending', reason: printable(reason), found: showFound(found) };
}

/**
 * The verdict on a response without records; null if it has records.
 * @param what the record type that was looked up
 */
export function judgeAbsence(response: DnsResult<unknown>, what: string, host: string): RecordVerdict | null {
  switch (response.kind) {
    case 'found':
      return null;
    case 'no-name':
      return fail(`The name ${host} does not exist in the DNS.`);
    case 'no-record':
      return fail(`${host} has no ${what} record.`);
    case 'failed':
      return unknown(`The DNS lookup of ${host} failed: ${response.reason}`);
  }
}

function showFound(found: readonly string[]): readonly string[] {
  const shown = found.slice(0, MAX_FOUND).map((text) => {
    const clean = printable(text);
    return clean.length > MAX_FOUND_CHARACTERS ? `${clean.slice(0, MAX_FOUND_CHARACTERS)}…` : clean;
  });
  return found.length > MAX_FOUND ? [...shown, `… and ${found.length - MAX_FOUND} more`] : shown;
}

/** Escapes everything except printable ASCII, so that control characters reach neither the database nor a terminal. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
