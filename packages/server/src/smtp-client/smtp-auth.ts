export interface SmtpCredentials {
  readonly user: string;
  readonly pass: string;
}

/** The commands of an AUTH exchange, without line endings. Each one is sent after a 334 reply to the previous one. */
type SmtpLogIn = readonly string[];

/**
 * The AUTH exchange for the best mechanism that both sides support, or null if there is none. PLAIN (RFC 4616) with an
 * initial response saves a round trip. LOGIN has no RFC, but some servers offer nothing else.
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
