import { type Approval, foldAddress } from '@postrider/core';
import { cut, type Finding, reviewMessage } from '@postrider/review';
import { addressOf } from '../../events/without-content.ts';
import { findMessageHosts } from '../../links/link-hosts.ts';
import { hostOfAddress, isForeign } from '../../links/mail-addresses.ts';
import type { JobThreads } from '../../threads/job-threads.ts';
import { threadJob } from '../../threads/thread-job.ts';

export interface FoundLink {
  /** What the reader sees; empty for a picture, or no text. */
  readonly text: string;
  readonly target: string;
}

/** A list of which only the beginning is shown. */
export interface Some<Item> {
  readonly items: readonly Item[];
  /** How many there are. */
  readonly count: number;
}

export interface HeldReview {
  /** The most important first. */
  readonly findings: readonly Finding[];
  readonly links: Some<FoundLink>;
}

/** What was read in the bodies of a message. A part is null if it could not be read: the message is too large, or the server too busy. */
export interface HeldReading {
  readonly review: HeldReview | null;
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
const LINKS_MAX = 200;
const PLACES_MAX = 100;
const TEXT_CHARACTERS = 120;
const TARGET_CHARACTERS = 500;

export const HELD_REVIEW = threadJob(import.meta.url, 'HELD_REVIEW', review);

function review(approval: Approval): HeldReview {
  const { findings, html, text } = reviewMessage(approval);
  const body = html ?? text;
  const links = (body?.links ?? [])
    .filter(({ kind }) => kind !== 'image')
    .slice(0, LINKS_MAX)
    .map(({ kind, text: said, target }) => ({
      text: kind === 'form' ? 'A form' : cut(said, TEXT_CHARACTERS),
      target: cut(target, TARGET_CHARACTERS),
    }));
  // Copies, because parts of a text keep the whole text in memory.
  return structuredClone({ findings, links: { items: links, count: Math.max(links.length, body?.linkCount ?? 0) } });
}

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
  return { items: places.slice(0, PLACES_MAX).map((place) => cut(place, TARGET_CHARACTERS)), count: places.length };
}
