import type { DnsAnswer } from '../dns/dns-resolver.ts';

/** What the DNS says of one record. */
export interface RecordVerdict {
  /** `pending`: nobody could say. */
  readonly status: 'pass' | 'fail' | 'pending';
  /** Why it does not pass, or what to know although it does; a sentence. */
  readonly reason: string | null;
  /** What was found, fit to be stored and shown. */
  readonly found: readonly string[];
}

/** Third-party text is bounded: a host may answer with whatever it likes. */
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

/** The verdict on a question that brought no record; null where it brought some. `what`: the kind that was looked for. */
export function judgeAbsence(answer: DnsAnswer<unknown>, what: string, host: string): RecordVerdict | null {
  switch (answer.kind) {
    case 'found':
      return null;
    case 'no-name':
      return fail(`The name ${host} does not exist in the DNS.`);
    case 'no-record':
      return fail(`${host} has no ${what} record.`);
    case 'failed':
      return unknown(`The DNS could not be asked for ${host}: ${answer.reason}`);
  }
}

function showFound(found: readonly string[]): readonly string[] {
  const shown = found.slice(0, MAX_FOUND).map((text) => {
    const clean = printable(text);
    return clean.length > MAX_FOUND_CHARACTERS ? `${clean.slice(0, MAX_FOUND_CHARACTERS)}…` : clean;
  });
  return found.length > MAX_FOUND ? [...shown, `… and ${found.length - MAX_FOUND} more`] : shown;
}

/** Whatever is no printable ASCII is shown as an escape: control characters must reach neither the database nor a terminal. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
