/** One result that an estimate rests on. */
export interface PlacementRecord {
  readonly type: 'SPF' | 'DKIM' | 'DMARC' | 'BLOCKLIST' | 'SPAMD';
  readonly name: string;
  readonly value: string;
  readonly detail: string | null;
}
