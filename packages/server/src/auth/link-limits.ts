import { foldAddress, LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Query } from '../db/client.ts';
import { takeCodeTry } from '../db/queries/code-tries.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { readKnownBrowser } from './known-browser.ts';

/** A request for a sign-in link. */
export interface LinkWish {
  readonly email: string;
  /** The client's IP address. */
  readonly address: string;
  /** The cookie of a browser that signed in before. */
  readonly known: string | null;
}

/** How many sign-in links are mailed, so that a stranger can neither flood mailboxes nor use up the links of a user. */
export interface LinkLimits {
  /** Counts a link and returns whether it may be mailed. The verdict does not depend on whether anyone has the mailbox. */
  take(wish: LinkWish): Promise<boolean>;
}

const MINUTE_MS = 60_000;

/**
 * Exact in any window over all processes: the counts are in the database. The mailbox’s total comes last, so that a client over its own limits
 * uses up nothing of it. A known browser is counted by itself, because strangers can use up everything else.
 * @param clientOf names the client behind an address
 */
export function createLinkLimits(
  sql: Query,
  clock: Clock,
  secrets: SecretBox,
  clientOf: (address: string) => string,
): LinkLimits {
  async function takeOne(triedBy: string, limit: number, minutes: number): Promise<boolean> {
    const now = clock.now();
    const after = new Date(now.getTime() - minutes * MINUTE_MS);
    return await takeCodeTry(sql, { triedBy, limit, after, now });
  }

  return {
    async take({ email, address, known }) {
      const [mailbox, client] = [foldAddress(email), clientOf(address)];
      const minutes = LIMITS.magicLinkMinutes;
      const isWithin =
        (await takeOne(`link:${client} ${mailbox}`, LIMITS.magicLinksPerClientAndAddress, minutes)) &&
        (await takeOne(`link:${client}`, LIMITS.magicLinksPerClient, minutes)) &&
        (await takeOne(`link:* ${mailbox}`, LIMITS.magicLinksPerAddress, 60));
      if (isWithin) return true;
      const knownBrowser = readKnownBrowser(secrets, known, email);
      return knownBrowser !== null && (await takeOne(`link-browser:${knownBrowser}`, 1, 1));
    },
  };
}
