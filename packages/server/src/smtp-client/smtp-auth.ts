export interface SmtpCredentials {
  readonly user: string;
  readonly pass: string;
}

/** The commands of a log-in, without their line ends: each is sent when the one before was answered with 334. */
type SmtpLogIn = readonly string[];

/**
 * The log-in by the best mechanism that both sides know, or null where there is none: PLAIN (RFC 4616) with its initial
 * response, which saves a round trip, else LOGIN, which is in no RFC and all that some servers offer.
 */
export function planLogIn(mechanisms: ReadonlySet<string>, credentials: SmtpCredentials): SmtpLogIn | null {
  const { user, pass } = credentials;
  if (mechanisms.has('PLAIN')) return [`AUTH PLAIN ${toBase64(`\u0000${user}\u0000${pass}`)}`];
  if (mechanisms.has('LOGIN')) return ['AUTH LOGIN', toBase64(user), toBase64(pass)];
  return null;
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
