/** Where the quota is counted: the first day of the UTC month, `YYYY-MM-01`. */
export function quotaMonth(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}

/** When the present month's count ends. */
export function quotaResetsAt(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}
