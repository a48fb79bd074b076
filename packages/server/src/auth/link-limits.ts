import { foldAddress, LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Query } from '../db/client.ts';
import { takeCodeTry } from '../db/queries/code-tries.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { readKnownBrowser } from './known-browser.ts';

/** A request for a sign-in link. */
export interface LinkRequest {
  readonly email: string;
  /** The client's IP address. */
  readonly address: string;
  /** The cookie of a browser that signed in before. */
  readonly known: string | null;
}

/** Limits the number of sign-in links that are mailed, so that strangers can neither flood mailboxes nor use up a user's links. */
export interface LinkLimits {
  /** Counts a link and returns whether it may be mailed. The result does not reveal whether the mailbox belongs to a user. */
  take(request: LinkRequest): Promise<boolean>;
}

const MINUTE_MS = 60_000;

/**
 * Exact for any time window across all processes, because the counts are in the database. The mailbox's total is counted last, so that a
 * client over its own limits uses up none of it. A known browser has its own limit, because strangers can use up all others.
 * @param clientOf returns the client behind an address
 */
export function createLinkLimits(
  sql: Query,
  clock: Clock,
  secrets: SecretBox,
  clientOf: (address: string) => string,
): LinkLimits {
  async function countTry(triedBy: string, limit: number, minutes: number): Promise<boolean> {
    const now = clock.now();
    const after = new Date(now.getTime() - minutes * MINUTE_MS);
    return await takeCodeTry(sql, { triedBy, limit, after, now });
  }

  return {
    async take({ email, address, known }) {
      const [mailbox, client] = [foldAddress(email), clientOf(address)];
      const minutes = LIMITS.magicLinkMinutes;
      const isWithin =
        (await countTry(`link:${client} ${mailbox}`, LIMITS.magicLinksPerClientAndAddress, minutes)) &&
        (await countTry(`link:${client}`, LIMITS.magicLinksPerClient, minutes)) &&
        (await countTry(`link:* ${mailbox}`, LIMITS.magicLinksPerAddress, 60));
      if (isWithin) return true;
      const knownBrowser = readKnownBrowser(secrets, known, email);
      return knownBrowser !== null && (await countTry(`link-browser:${knownBrowser}`, 1, 1));
    },
  };
}
