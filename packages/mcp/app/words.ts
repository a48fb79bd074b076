import type { HeldSendRecord } from '../src/apps/held-send-record.ts';

const MINUTE_MS = 60_000;
const UNITS = [
  { name: 'day', minutes: 1_440, from: 5_760 },
  { name: 'hour', minutes: 60, from: 120 },
  { name: 'minute', minutes: 1, from: 0 },
] as const;

/** The time left, by the same rule as in the console: `in 5 days`, `in 71 hours`, `in 45 minutes`. */
export function timeLeft(at: Date, now: Date): string {
  const minutes = Math.max(1, Math.round((at.getTime() - now.getTime()) / MINUTE_MS));
  const unit = UNITS.find(({ from }) => minutes >= from) ?? UNITS[2];
  return `in ${countOf(Math.floor(minutes / unit.minutes), unit.name)}`;
}

export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;
}

export function formatTime(at: string, timeZone: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' } as const;
  return `${new Intl.DateTimeFormat('en-US', { ...format, timeZone }).format(new Date(at))} (${timeZone})`;
}

/** The host's time zone if it is one. */
export function timeZoneOf(given: unknown): string {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: String(given) }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

const KILOBYTE = 1_000;

export function formatSize(bytes: number): string {
  if (bytes < KILOBYTE) return countOf(bytes, 'byte');
  if (bytes < KILOBYTE ** 2) return `${Math.round(bytes / KILOBYTE)} KB`;
  return `${(bytes / KILOBYTE ** 2).toFixed(1)} MB`;
}

export type ShownStatus = HeldSendRecord['status'];

/** A hold whose time is over is expired, also before the server has ended it. */
export function statusAt({ status, expiresAt }: Pick<HeldSendRecord, 'status' | 'expiresAt'>, now: Date): ShownStatus {
  return status === 'pending' && new Date(expiresAt) <= now ? 'expired' : status;
}

export const STATUS_WORDS: Readonly<Record<ShownStatus, { readonly label: string; readonly tone: string }>> = {
  pending: { label: 'Waiting for approval', tone: 'warn' },
  approved: { label: 'Approved', tone: 'good' },
  rejected: { label: 'Rejected', tone: 'bad' },
  expired: { label: 'Expired', tone: 'quiet' },
  withdrawn: { label: 'Withdrawn', tone: 'quiet' },
};

export const FIELD_WORDS: Readonly<Record<string, string>> = {
  ...{ to: 'the recipients', cc: 'the copies', bcc: 'the blind copies', subject: 'the subject' },
  ...{ html: 'the HTML', text: 'the text', scheduled_at: 'the time of sending' },
};
