/** A body part with its own header lines. Parts nest. */
export interface MimePart {
  /** The Content-* lines, each with its CRLF. */
  readonly header: string;
  /**
   * The body in pieces, to be joined once: files are large, and each join copies them. Without a final CRLF: inside a
   * multipart that CRLF belongs to the boundary (RFC 2046 §5.1.1).
   */
  readonly pieces: readonly string[];
}
