import { ONLY_PROCESS, type ProcessPlace, strictShareOf } from '../process-share.ts';
import { cacheCheck } from './cached-check.ts';
import { toErrorVerdicts } from './error-verdicts.ts';
import { isLoopbackHost, type RelayConfig, type RelayTls } from './relay-url.ts';
import {
  openSmtpConnection,
  RELAY_TIMEOUTS,
  type SmtpConnectionOptions,
  type SmtpTimeouts,
} from './smtp-connection.ts';
import { SmtpFault } from './smtp-fault.ts';
import { assertHeloName, type TlsMode } from './smtp-handshake.ts';
import { SmtpPool } from './smtp-pool.ts';
import type { Transport } from './transport.ts';

export interface SmtpRelayOptions {
  readonly relay: RelayConfig;
  /** The name we send in EHLO. */
  readonly heloName: string;
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly maxConnections?: number;
  /** If several processes of this server share the connections. */
  readonly place?: ProcessPlace;
}

const MAX_CONNECTIONS = 20;

const CHECK_TIMEOUT_MS = 5_000;

/**
 * Sends every message to one relay. The relay's 250 means `sent`; later reports say what happened to the message. Throws
 * TypeError for an invalid EHLO name.
 */
export function createSmtpRelayTransport(options: SmtpRelayOptions): Transport {
  assertHeloName(options.heloName);
  const connection = toConnectionOptions(options);
  const pool = new SmtpPool({
    open: () => openSmtpConnection(connection),
    server: { host: connection.host, address: null, port: connection.port },
    maxConnections: options.maxConnections ?? strictShareOf(MAX_CONNECTIONS, options.place ?? ONLY_PROCESS),
  });
  return {
    name: 'smtp-relay',
    acceptedMeans: 'sent',
    send: (outgoing) => pool.send(outgoing).catch((error: unknown) => toErrorVerdicts(outgoing, error)),
    check: cacheCheck(() => checkRelay(connection)),
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

type CheckResult = Awaited<ReturnType<Transport['check']>>;

/** Greeting, EHLO and TLS, without AUTH: a probe that authenticates every few seconds would look like an attack. */
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
    return { ok: false, reason: error instanceof SmtpFault ? error.message : 'The relay could not be checked.' };
  }
}
