/** The most database connections that one process opens, by purpose. */
export const CONNECTIONS = {
  api: 4,
  /** A connection belongs to one transaction at a time, and transactions that wait for a lock must leave connections free for others. */
  accounts: 6,
  reads: 3,
  /** Of the accept queue, over its three pools. */
  accept: 5,
  rates: 1,
  log: 1,
  /** Of delivery's jobs. */
  work: 4,
  /** One to claim deliveries and load their contents, one to record outcomes. */
  deliveries: 2,
  /** One to claim webhook events, one to record attempts. */
  webhooks: 2,
  /** Of graphile-worker. */
  queue: 6,
} as const;

/** The most connections that a process with these roles opens. */
export function connectionsOf(roles: ReadonlySet<string>): number {
  const { work, deliveries, webhooks, queue, ...always } = CONNECTIONS;
  const shared = Object.values(always).reduce((sum, count) => sum + count, 0);
  return roles.has('worker') ? shared + work + deliveries + webhooks + queue : shared;
}
