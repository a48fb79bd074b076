/** What a server said it can do in its EHLO reply (RFC 5321, section 4.1.1.1). */
export interface SmtpCapabilities {
  readonly pipelining: boolean;
  readonly startTls: boolean;
  readonly eightBitMime: boolean;
  readonly smtpUtf8: boolean;
  /** Delivery status notifications (RFC 3461). */
  readonly dsn: boolean;
  /** True when MAIL takes a SIZE parameter (RFC 1870). */
  readonly size: boolean;
  /** The largest message the server takes, in octets, or null where it named no limit. */
  readonly maxMessageOctets: number | null;
  /** The SASL mechanisms offered, in capitals. */
  readonly authMechanisms: ReadonlySet<string>;
}

/** What a server can do that knows HELO only. */
export const NO_CAPABILITIES: SmtpCapabilities = {
  pipelining: false,
  startTls: false,
  eightBitMime: false,
  smtpUtf8: false,
  dsn: false,
  size: false,
  maxMessageOctets: null,
  authMechanisms: new Set(),
};

/** Reads the text of an EHLO reply, its lines joined by `\n`; the first is the greeting, the others a keyword each. */
export function parseCapabilities(ehloText: string): SmtpCapabilities {
  const parametersByKeyword = new Map<string, string>();
  const authMechanisms = new Set<string>();
  for (const line of ehloText.split('\n').slice(1)) {
    // Old servers write AUTH=LOGIN beside the AUTH LOGIN of RFC 4954; both mean the same.
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
    maxMessageOctets: readSizeLimit(parametersByKeyword.get('SIZE')),
    authMechanisms,
  };
}

/** RFC 1870, section 4: no parameter, or 0, is no fixed limit. */
function readSizeLimit(parameter: string | undefined): number | null {
  if (parameter === undefined || !/^\d{1,15}$/.test(parameter)) return null;
  return Number(parameter) || null;
}
