/** The key of the quota's month: its first day in UTC, `YYYY-MM-01`. */
export function quotaMonth(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}

/** When the count of the current month ends. */
export function quotaResetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}
