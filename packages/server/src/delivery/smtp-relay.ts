import { isLoopbackHost, type RelayConfig, type RelayTls } from './relay-url.ts';
import {
  openSmtpConnection,
  RELAY_TIMEOUTS,
  type SmtpConnectionOptions,
  type SmtpTimeouts,
} from './smtp-connection.ts';
import { BareLineEndingError } from './smtp-dot-stuffing.ts';
import { SmtpFault } from './smtp-fault.ts';
import { assertHeloName, type TlsMode } from './smtp-handshake.ts';
import { UnsafeEnvelopeError } from './smtp-message.ts';
import { SmtpPool } from './smtp-pool.ts';
import type { Handover, HandoverVerdict, Transport } from './transport.ts';

export interface SmtpRelayOptions {
  readonly relay: RelayConfig;
  /** The name we give in EHLO. */
  readonly heloName: string;
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly maxConnections?: number;
}

const MAX_CONNECTIONS = 20;

// A readiness probe asks every few seconds, from several places at once; a relay need not hear of each.
const CHECK_KEPT_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;

/**
 * Hands every message to one relay. Its 250 means `sent`: what became of the message, later reports tell.
 * Throws TypeError for an EHLO name that is none.
 */
export function createSmtpRelayTransport(options: SmtpRelayOptions): Transport {
  assertHeloName(options.heloName);
  const connection = toConnectionOptions(options);
  const pool = new SmtpPool({
    open: () => openSmtpConnection(connection),
    maxConnections: options.maxConnections ?? MAX_CONNECTIONS,
  });
  return {
    name: 'smtp-relay',
    acceptedMeans: 'sent',
    send: (handover) => pool.send(handover).catch((error: unknown) => judgeError(handover, error)),
    check: keepFor(CHECK_KEPT_MS, () => checkRelay(connection)),
    abort: () => pool.abort(),
    close: () => pool.close(),
  };
}

const TLS_MODES: Readonly<Record<RelayTls, TlsMode>> = {
  none: 'none',
  opportunistic: 'opportunistic',
  starttls: 'required',
  implicit: 'implicit',
};

function toConnectionOptions({ relay, heloName, timeouts }: SmtpRelayOptions): SmtpConnectionOptions {
  const isLoopback = isLoopbackHost(relay.host);
  return {
    host: relay.host,
    port: relay.port,
    heloName,
    tls: { mode: TLS_MODES[relay.tls], verify: !isLoopback },
    credentials: relay.credentials,
    credentialsAnywhere: isLoopback || relay.tls === 'none',
    timeouts: { ...RELAY_TIMEOUTS, ...timeouts },
  };
}

/** A message that may never go out is refused, since no other attempt would end otherwise; anything unforeseen is tried again. */
function judgeError(handover: Handover, error: unknown): readonly HandoverVerdict[] {
  const isHopeless = error instanceof UnsafeEnvelopeError || error instanceof BareLineEndingError;
  const outcome = isHopeless ? 'refused' : 'deferred';
  const reason = isHopeless ? error.message : 'The message could not be handed over because of an error of ours.';
  return handover.recipients.map((recipient) => ({ recipient, outcome, reply: null, reason, ambiguous: false }));
}

type CheckResult = Awaited<ReturnType<Transport['check']>>;

/** Greeting, EHLO and TLS, without the log-in: a probe that logs in every few seconds would look like an attack. */
async function checkRelay(options: SmtpConnectionOptions): Promise<CheckResult> {
  const timeouts = {
    ...options.timeouts,
    connectMs: Math.min(options.timeouts.connectMs, CHECK_TIMEOUT_MS),
    commandMs: Math.min(options.timeouts.commandMs, CHECK_TIMEOUT_MS),
  };
  try {
    const connection = await openSmtpConnection({ ...options, credentials: null, timeouts });
    void connection.quit();
    return { ok: true, reason: null };
  } catch (error) {
    return { ok: false, reason: error instanceof SmtpFault ? error.message : 'The relay could not be asked.' };
  }
}

/** Answers from the last look for `keptMs`, and lets callers at the same time share one. */
function keepFor(keptMs: number, look: () => Promise<CheckResult>): () => Promise<CheckResult> {
  let last: { readonly result: Promise<CheckResult>; readonly atMs: number } | null = null;
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs >= keptMs) last = { result: look(), atMs: nowMs };
    return last.result;
  };
}
