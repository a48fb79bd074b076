/** The capabilities that a server lists in its EHLO reply (RFC 5321, section 4.1.1.1). */
export interface SmtpCapabilities {
  readonly pipelining: boolean;
  readonly startTls: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  /** Delivery status notifications (RFC 3461). */
  readonly dsn: boolean;
  /** True when MAIL accepts a SIZE parameter (RFC 1870). */
  readonly size: boolean;
  /** The largest message the server accepts, in bytes, or null if it gave no limit. */
  readonly maxMessageBytes: number | null;
  /** The SASL mechanisms offered, in upper case. */
  readonly authMechanisms: ReadonlySet<string>;
}

/** The capabilities of a server that supports only HELO. */
export const NO_CAPABILITIES: SmtpCapabilities = {
  pipelining: false,
  startTls: false,
  eightBitMime: false,
  smtpUtf8: false,
  dsn: false,
  size: false,
  maxMessageBytes: null,
  authMechanisms: new Set(),
};

/** Parses the text of an EHLO reply, lines joined by `\n`. The first line is the greeting; each other line has one keyword. */
export function parseCapabilities(ehloText: string): SmtpCapabilities {
  const parametersByKeyword = new Map<string, string>();
  const authMechanisms = new Set<string>();
  for (const line of ehloText.split('\n').slice(1)) {
    // Old servers send AUTH=LOGIN in addition to the AUTH LOGIN of RFC 4954. Both mean the same.
    const [keyword = '', ...parameters] = line
      .trim()
      .toUpperCase()
      .replace(/^AUTH=/, 'AUTH ')
      .split(/\s+/);
    parametersByKeyword.set(keyword, parameters[0] ?? '');
    if (keyword === 'AUTH') for (const mechanism of parameters) authMechanisms.add(mechanism);
  }
  return {
    pipelining: parametersByKeyword.has('PIPELINING'),
    startTls: parametersByKeyword.has('STARTTLS'),
    eightBitMime: parametersByKeyword.has('8BITMIME'),
    smtpUtf8: parametersByKeyword.has('SMTPUTF8'),
    dsn: parametersByKeyword.has('DSN'),
    size: parametersByKeyword.has('SIZE'),
    maxMessageBytes: readSizeLimit(parametersByKeyword.get('SIZE')),
    authMechanisms,
  };
}

/** RFC 1870, section 4: no parameter, or 0, means no fixed limit. */
function readSizeLimit(parameter: string | undefined): number | null {
  if (parameter === undefined || !/^\d{1,15}$/.test(parameter)) return null;
  return Number(parameter) || null;
}
