export type OutboundResult =
  | {
      readonly kind: 'responded';
      readonly status: number;
      /** By lowercase name. Values of a repeated header are joined by a comma. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer;
      /** True if the body was longer than `maxBytes`, or there was no memory for it. */
      readonly truncated: boolean;
    }
  /** The rules do not allow it, and nothing was sent. The reason continues the words "The URL". */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It was allowed but failed. The reason is a complete clause. */
  | { readonly kind: 'failed'; readonly reason: string };
