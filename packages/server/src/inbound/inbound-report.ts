/** What came to a return path, as far as it can be read with certainty. */
export type InboundReport = DeliveryReport | AbuseReport | OtherMail;

/** RFC 3464: what became of recipients. */
export interface DeliveryReport {
  readonly kind: 'delivery_status';
  readonly recipients: readonly ReportedRecipient[];
}

export interface ReportedRecipient {
  /** The addresses it is named by, folded, the one that we gave first; empty where none can be read. */
  readonly addresses: readonly string[];
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** The enhanced status code, for example `5.1.1`. */
  readonly status: string | null;
  /** What the server that refused said, with its type, as in `smtp; 550 5.1.1 …`: a third party's words as they stand. Empty without any. */
  readonly diagnostic: string;
}

/** RFC 5965: what a recipient thinks of it. */
export interface AbuseReport {
  readonly kind: 'abuse';
  /** In lower case, for example `abuse`. */
  readonly feedbackType: string;
  /** The program that made it, as it calls itself. */
  readonly reporter: string | null;
  /** The addresses it was sent to, folded; providers that keep their users' names to themselves change them or leave them out. */
  readonly addresses: readonly string[];
  /** The envelope sender of the reported message, wherever the report repeats it. */
  readonly returnPaths: readonly string[];
}

/** Mail that changes nothing. */
export interface OtherMail {
  readonly kind: 'other';
  readonly outcome: 'auto_reply' | 'loop' | 'malformed' | 'unknown';
}
