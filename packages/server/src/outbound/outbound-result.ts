export type OutboundResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** By lower-case name. A header that came twice is joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer;
      /** True where the body was longer than `maxBytes`, or there was no room for it. */
      readonly truncated: boolean;
    }
  /** The rules forbid it; nothing was sent. The reason reads on from the words "The URL". */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It was allowed and did not work. The reason is a clause of its own. */
  | { readonly kind: 'failed'; readonly reason: string };
