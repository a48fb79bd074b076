import type { RawReply } from './exchange.ts';
import { planLogIn, type SmtpCredentials } from './smtp-auth.ts';
import { NO_CAPABILITIES, parseCapabilities, type SmtpCapabilities } from './smtp-capabilities.ts';
import type { SmtpChannel } from './smtp-channel.ts';
import { readServerName } from './smtp-reply-text.ts';

/**
 * - `none`: never TLS.
 * - `opportunistic`: STARTTLS if the server offers it, with any certificate.
 * - `required`: STARTTLS, or the connection fails.
 * - `implicit`: TLS from the first byte.
 */
export type TlsMode = 'none' | 'opportunistic' | 'required' | 'implicit';

export interface TlsPolicy {
  readonly mode: TlsMode;
  /** Whether an invalid certificate ends the connection (`required` and `implicit` only). */
  readonly verify: boolean;
}

export interface HandshakeOptions {
  readonly heloName: string;
  readonly tls: TlsPolicy;
  readonly credentials: SmtpCredentials | null;
  /** Whether to send credentials over a connection that does not authenticate the server. */
  readonly credentialsAnywhere: boolean;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
}

export interface HandshakeResult {
  readonly capabilities: SmtpCapabilities;
  /** The name that the server gave in its greeting or EHLO reply, if any. */
  readonly server: string | null;
  readonly secured: boolean;
}

/** `clear`, `verified`, or `unverified` with what is wrong with the certificate. */
type Privacy = { readonly kind: 'clear' | 'verified' } | { readonly kind: 'unverified'; readonly why: string };

/** Prepares a new channel for mail: greeting, EHLO, TLS, EHLO again, AUTH. Rejects with SmtpFault after closing the channel. */
export async function handshake(channel: SmtpChannel, options: HandshakeOptions): Promise<HandshakeResult> {
  const { tls, connectTimeoutMs, commandTimeoutMs } = options;
  await channel.connect(connectTimeoutMs);
  const atFirst = tls.mode === 'implicit' ? await secure(channel, options) : CLEAR;
  const greeting = await channel.ask(null, commandTimeoutMs, 'the greeting');
  if (greeting.code !== 220) throw channel.fail('unready', `sent ${greeting.code} as its greeting`, greeting);
  const inClear = await introduce(channel, options);
  const wantsTls = tls.mode === 'required' || tls.mode === 'opportunistic';
  const privacy = wantsTls ? await upgrade(channel, options, inClear.capabilities) : atFirst;
  // RFC 3207, section 4.2: anyone on the path could have sent what arrived before TLS.
  const introduced = privacy === atFirst ? inClear : await introduce(channel, options);
  if (options.credentials !== null)
    await logIn(channel, options, options.credentials, introduced.capabilities, privacy);
  const server = introduced.server ?? readServerName(greeting.text);
  return { capabilities: introduced.capabilities, server, secured: privacy.kind !== 'clear' };
}

/** Throws TypeError if the name is not a host name or address literal and could inject more than the EHLO argument. */
export function assertHeloName(heloName: string): void {
  if (!/^[A-Za-z0-9._:[\]-]{1,255}$/.test(heloName)) throw new TypeError('The EHLO name is not a host name.');
}

const CLEAR: Privacy = { kind: 'clear' };

async function introduce(
  channel: SmtpChannel,
  { heloName, commandTimeoutMs }: HandshakeOptions,
): Promise<{ capabilities: SmtpCapabilities; server: string | null }> {
  const ehlo = await channel.ask(`EHLO ${heloName}`, commandTimeoutMs, 'the reply to EHLO');
  if (isPositive(ehlo)) return { capabilities: parseCapabilities(ehlo.text), server: readServerName(ehlo.text) };
  if (ehlo.code < 500) throw channel.fail('unready', `replied to EHLO with ${ehlo.code}`, ehlo);
  // RFC 5321, section 3.2: a server that does not support EHLO may support HELO.
  const helo = await channel.ask(`HELO ${heloName}`, commandTimeoutMs, 'the reply to HELO');
  if (!isPositive(helo)) throw channel.fail('unready', `replied to HELO with ${helo.code}`, helo);
  return { capabilities: NO_CAPABILITIES, server: readServerName(helo.text) };
}

async function upgrade(
  channel: SmtpChannel,
  options: HandshakeOptions,
  capabilities: SmtpCapabilities,
): Promise<Privacy> {
  const isRequired = options.tls.mode === 'required';
  if (!capabilities.startTls) {
    if (isRequired) throw channel.fail('tls', 'does not offer STARTTLS, which is required here');
    return CLEAR;
  }
  channel.beginsTls = true;
  const reply = await channel.ask('STARTTLS', options.commandTimeoutMs, 'the reply to STARTTLS');
  const privacy = reply.code === 220 ? await secure(channel, options) : null;
  channel.beginsTls = false;
  if (privacy !== null) return privacy;
  if (isRequired || reply.code === 421) throw channel.fail('tls', `replied to STARTTLS with ${reply.code}`, reply);
  return CLEAR;
}

async function secure(channel: SmtpChannel, { tls, connectTimeoutMs }: HandshakeOptions): Promise<Privacy> {
  const why = await channel.startTls(tls.verify && tls.mode !== 'opportunistic', connectTimeoutMs);
  return why === null ? { kind: 'verified' } : { kind: 'unverified', why };
}

async function logIn(
  channel: SmtpChannel,
  { credentialsAnywhere, commandTimeoutMs }: HandshakeOptions,
  credentials: SmtpCredentials,
  capabilities: SmtpCapabilities,
  privacy: Privacy,
): Promise<void> {
  if (!credentialsAnywhere && privacy.kind !== 'verified') {
    throw channel.fail('unready', `was not sent the user name and password: ${whyNotPrivate(privacy)}`);
  }
  const commands = planLogIn(capabilities.authMechanisms, credentials);
  if (commands === null) throw channel.fail('unready', 'does not offer authentication with a user name and password');
  for (const [index, command] of commands.entries()) {
    const reply = await channel.ask(command, commandTimeoutMs, 'the reply to AUTH', secretsOf(commands, credentials));
    const due = index < commands.length - 1 ? 334 : 235;
    if (reply.code !== due) throw channel.fail('unready', `rejected the user name and password (${reply.code})`, reply);
  }
}

/** The longest first, so that none leaves a part of another. */
function secretsOf(commands: readonly string[], { user, pass }: SmtpCredentials): readonly string[] {
  const sent = commands.map((command) => command.replace(/^AUTH (?:PLAIN|LOGIN) ?/, ''));
  return [...sent, pass, user].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}

function whyNotPrivate(privacy: Privacy): string {
  return privacy.kind === 'unverified' ? privacy.why : 'it offers no TLS';
}

function isPositive(reply: RawReply): boolean {
  return reply.code >= 200 && reply.code < 300;
}
