import { type CertificateSettings, chooseCertificate } from './certificate.ts';
import type { SubmissionConnections } from './connection-places.ts';
import {
  createSubmissionServer,
  type SubmissionOptions,
  type SubmissionPorts,
  type SubmissionServer,
} from './submission-server.ts';

/** The settings of SMTP submission. */
export interface SubmissionSettings extends CertificateSettings {
  readonly host: string;
  readonly smtpPort: number;
  readonly smtpsPort: number;
  readonly sandboxDomain: string;
  readonly monthlyQuota: number;
  readonly smtpConnections: SubmissionConnections;
  readonly trustedProxies: readonly string[];
}

export interface RunningSubmission extends Pick<SubmissionServer, 'drain'> {
  readonly ports: SubmissionPorts;
}

type SubmissionTools = Pick<
  SubmissionOptions,
  'authenticator' | 'rates' | 'tools' | 'sql' | 'clock' | 'logger' | 'name' | 'logRequest' | 'limits'
>;

/** A port that cannot be opened. `fix` says what to do about it. */
class SubmissionPortError extends Error {
  override readonly name = 'SubmissionPortError';
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/**
 * Starts SMTP submission. Null if it stays off, because production has no certificate for it: keys must not be sent in
 * plaintext.
 * @throws CertificateError, SubmissionPortError
 */
export async function startSubmission(
  settings: SubmissionSettings,
  tools: SubmissionTools,
): Promise<RunningSubmission | null> {
  const certificate = chooseCertificate(settings, tools.clock.now());
  if (certificate === null) return null;
  const { host, smtpPort: port, smtpsPort: tlsPort, sandboxDomain, monthlyQuota } = settings;
  const { smtpConnections: connections, trustedProxies } = settings;
  const server = createSubmissionServer({
    ...tools,
    ...{ certificate, host, port, tlsPort, sandboxDomain, monthlyQuota, connections, trustedProxies },
  });
  try {
    return { ports: await server.listen(), drain: server.drain };
  } catch (error) {
    await server.drain();
    throw explain(error, settings);
  }
}

function explain(error: unknown, { host, smtpPort, smtpsPort }: SubmissionSettings): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('port' in error)) return error;
  const port = Number(error.port);
  const setting = port === smtpPort ? 'POSTRIDER_SMTP_PORT' : 'POSTRIDER_SMTPS_PORT';
  const isTaken = error.code === 'EADDRINUSE';
  const what = isTaken ? 'is in use by another program' : `cannot be opened (${error.code})`;
  const stop = isTaken ? 'Stop that program (another Postrider?), or choose' : 'Choose';
  const next = setting === 'POSTRIDER_SMTP_PORT' ? smtpPort + 1 : smtpsPort + 1;
  return new SubmissionPortError(
    `Port ${port} for SMTP submission on ${host} ${what}.`,
    `${stop} another port: ${setting}=${next}.`,
  );
}
