import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { markSending, renewLeases } from '../db/queries/claim-deliveries.ts';
import type { LeasedDeliveries } from '../routing/leased-deliveries.ts';

export const LEASE_MS = 60_000;
const RENEW_EVERY_MS = 20_000;
/**
 * Attempts that take less time are not shown as `sending`: the two row changes would be a large part of the database's work, for a status
 * that no reader has time to see. Nothing else depends on it, because the lease shows that an attempt is in progress (decision record 5).
 */
const SHOWN_AFTER_MS = 500;
const SHOW_EVERY_MS = 250;

export interface LeaseKeeperOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly leased: LeasedDeliveries;
  /** How often to renew leases. By default three times in the life of a lease. */
  readonly renewEveryMs?: number | undefined;
  readonly onError: (error: unknown, what: string) => void;
}

/** Renews the leases of this process, and shows attempts as `sending` if they or their recording take long. */
export interface LeaseKeeper {
  /** Resolves when nothing more will be written. Never rejects. */
  stop(): Promise<void>;
}

export function createLeaseKeeper({ sql, clock, leased, renewEveryMs, onError }: LeaseKeeperOptions): LeaseKeeper {
  let showing: Promise<void> | null = null;
  const renewal = setInterval(() => void renew(), renewEveryMs ?? RENEW_EVERY_MS).unref();
  const display = setInterval(() => {
    showing ??= show().finally(() => {
      showing = null;
    });
  }, SHOW_EVERY_MS).unref();

  async function renew(): Promise<void> {
    if (leased.size === 0) return;
    const until = new Date(clock.now().getTime() + LEASE_MS);
    await renewLeases(sql, leased.leases(), until).catch((error: unknown) => onError(error, 'renewing leases'));
  }

  async function show(): Promise<void> {
    const before = performance.now() - SHOWN_AFTER_MS;
    const long = leased.list().filter(({ startedAtMs }) => startedAtMs !== null && startedAtMs <= before);
    if (long.length === 0) return;
    // Tried only once, even if it fails: the status is not worth more.
    for (const delivery of long) delivery.startedAtMs = null;
    const attempts = long.map(({ claim, leaseId }) => {
      return { accountId: claim.accountId, id: claim.id, leaseId, attempt: claim.attempt };
    });
    await markSending(sql, attempts).catch((error: unknown) => onError(error, 'showing attempts as sending'));
  }

  return {
    async stop() {
      clearInterval(renewal);
      clearInterval(display);
      await showing;
    },
  };
}
