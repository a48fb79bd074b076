export interface SmtpTimeouts {
  /** Applies to the TCP connection, and separately to the TLS handshake. */
  readonly connectMs: number;
  /** Applies to the greeting, and to every reply except the last one of a message. */
  readonly commandMs: number;
  /** From the final dot to the reply, while the server may scan the message. */
  readonly afterDotMs: number;
  /** How long an idle connection is kept open. */
  readonly idleMs: number;
}

/** For a relay. */
export const RELAY_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  commandMs: 120_000,
  afterDotMs: 120_000,
  idleMs: 60_000,
};

/** For a server found by MX lookup: the 600 s after the final dot are from RFC 5321, section 4.5.3.2.6. */
export const DIRECT_TIMEOUTS: SmtpTimeouts = { ...RELAY_TIMEOUTS, afterDotMs: 600_000 };
