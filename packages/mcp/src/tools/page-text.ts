/** The fields every list returns beside its rows. */
export interface Page {
  readonly total: number;
  readonly totalIsEstimate: boolean;
  readonly nextCursor: string | null;
}

/** A page as text: how many of how many, a fenced line per row, and how to continue. */
export function describePage<Row>(
  page: Page,
  {
    rows,
    noun,
    describeRow,
  }: { readonly rows: readonly Row[]; readonly noun: string; readonly describeRow: (row: Row) => string },
  untrusted: (text: string) => string,
): string {
  const total = page.totalIsEstimate ? `about ${page.total}` : `${page.total}`;
  return [
    `${rows.length} of ${total} ${noun}, newest first`,
    ...(rows.length === 0 ? [] : [untrusted(rows.map(describeRow).join('\n'))]),
    page.nextCursor === null
      ? 'This is the last page.'
      : `Next page: the same arguments with cursor ${page.nextCursor}`,
  ].join('\n');
}
