import type { HoldReason } from '@postrider/core';

/** Why an email waits for approval, as shown to approvers on the page and in mail. */
export const REASON_SENTENCES: Readonly<Record<HoldReason, string>> = {
  always: 'Every email from this key needs approval.',
  firstContact: 'It is the first email to at least one of its recipients.',
  recipientDomainNotIn: 'At least one recipient is outside the domains that this key may write to.',
  recipientsOver: 'It has more recipients than this key may write to at once.',
  hasBcc: 'It has blind copies.',
  hasAttachments: 'It has files attached.',
  freeformBody: 'Its text is not only from a template that someone approved.',
  linkDomainNotIn: 'It links to a site outside the domains that this key may link to.',
};

const MINUTE_MS = 60_000;
const UNITS = [
  { name: 'day', minutes: 1_440, from: 2_880 },
  { name: 'hour', minutes: 60, from: 120 },
  { name: 'minute', minutes: 1, from: 0 },
] as const;

/** The time left, in the largest unit that makes at least two: `in 2 days`, `in 45 minutes`. */
export function timeLeft(at: Date, now: Date): string {
  const minutes = Math.max(1, Math.round((at.getTime() - now.getTime()) / MINUTE_MS));
  const unit = UNITS.find(({ from }) => minutes >= from) ?? UNITS[2];
  const count = Math.round(minutes / unit.minutes);
  return `in ${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

const DATE = new Intl.DateTimeFormat('en-US', {
  ...{ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' },
});

/** `Wed, Nov 25, 2026, 14:00 UTC` */
export function formatTime(at: Date): string {
  return `${DATE.format(at)} UTC`;
}

const KILOBYTE = 1_000;

/** `12 bytes`, `34 KB`, `5.6 MB` */
export function formatSize(bytes: number): string {
  if (bytes < KILOBYTE) return `${bytes} byte${bytes === 1 ? '' : 's'}`;
  if (bytes < KILOBYTE ** 2) return `${Math.round(bytes / KILOBYTE)} KB`;
  return `${(bytes / KILOBYTE ** 2).toFixed(1)} MB`;
}
