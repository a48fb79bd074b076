import { type Approval, type ApprovalReview, foldAddress } from '@postrider/core';
import { cut } from '@postrider/review';
import { addressOf } from '../../events/without-content.ts';
import { findMessageHosts } from '../../links/link-hosts.ts';
import { hostOfAddress, isForeign } from '../../links/mail-addresses.ts';
import type { JobThreads } from '../../threads/job-threads.ts';
import { threadJob } from '../../threads/thread-job.ts';
import { HELD_REVIEW } from '../held-review.ts';

/** A list of which only the beginning is shown. */
export interface Some<Item> {
  readonly items: readonly Item[];
  /** How many there are. */
  readonly count: number;
}

/** What was read in the bodies of a message. A part is null if it could not be read: the message is too large, or the server too busy. */
export interface HeldReading {
  readonly review: ApprovalReview | null;
  /** The hosts and addresses that are not the message's own, including those in headers. */
  readonly places: Some<string> | null;
}

/** Reads a message in threads, one part after the other: both together would need the memory of two. */
export async function readHeld(
  threads: JobThreads,
  owner: { readonly accountId: string; readonly keyId: string },
  approval: Approval,
): Promise<HeldReading> {
  const size = (approval.html?.length ?? 0) + (approval.text?.length ?? 0);
  const review = await threads.run(owner, HELD_REVIEW, approval, size);
  const places = await threads.run(owner, HELD_PLACES, approval, size);
  return {
    review: review.kind === 'done' ? review.output : null,
    places: places.kind === 'done' ? places.output : null,
  };
}

/** More would not be read. */
const PLACES_MAX = 100;
const PLACE_CHARACTERS = 500;

export const HELD_PLACES = threadJob(import.meta.url, 'HELD_PLACES', findPlaces);

function findPlaces({ text, html, subject, from, to, cc, bcc, replyTo, headers }: Approval): Some<string> {
  const read = [subject, from, replyTo ?? ''];
  const { hosts, addresses, unreadable } = findMessageHosts({ html, text, lines: read, headers: headers ?? {} });
  const own = {
    addresses: new Set([...to, ...cc, ...bcc].map((mailbox) => foldAddress(addressOf(mailbox)))),
    domain: hostOfAddress(addressOf(from)),
  };
  const foreign = addresses.filter((address) => isForeign(address, own));
  const places = [...(unreadable ? ['an address that cannot be parsed'] : []), ...hosts, ...foreign];
  return { items: places.slice(0, PLACES_MAX).map((place) => cut(place, PLACE_CHARACTERS)), count: places.length };
}
