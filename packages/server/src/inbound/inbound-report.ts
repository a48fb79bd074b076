/** The content of mail to a return path, as far as it can be parsed reliably. */
export type InboundReport = DeliveryReport | AbuseReport | OtherMail;

/** RFC 3464: what happened to recipients. */
export interface DeliveryReport {
  readonly kind: 'delivery_status';
  readonly recipients: readonly ReportedRecipient[];
}

export interface ReportedRecipient {
  /** The addresses that name the recipient, normalized, the one that we used first. Empty if none can be parsed. */
  readonly addresses: readonly string[];
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** The enhanced status code, for example `5.1.1`. */
  readonly status: string | null;
  /** The text of the rejecting server with its type, as in `smtp; 550 5.1.1 …`: third-party text, unchanged. Empty if absent. */
  readonly diagnostic: string;
}

/** RFC 5965: a recipient's complaint. */
export interface AbuseReport {
  readonly kind: 'abuse';
  /** In lowercase, for example `abuse`. */
  readonly feedbackType: string;
  /** The name of the program that created it. */
  readonly reporter: string | null;
  /** The addresses it was sent to, normalized. Providers that hide their users' names change or omit them. */
  readonly addresses: readonly string[];
  /** The envelope sender of the reported message, from any place in the report. */
  readonly returnPaths: readonly string[];
}

/** Mail that changes nothing. */
export interface OtherMail {
  readonly kind: 'other';
  readonly outcome: 'auto_reply' | 'loop' | 'malformed' | 'unknown';
}
