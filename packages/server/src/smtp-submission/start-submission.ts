import { type ConfiguredPort, toPortError } from '../port-error.ts';
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

/**
 * Starts SMTP submission. Null if it stays off, because production has no certificate for it: keys must not be sent in
 * plaintext.
 * @throws CertificateError, PortError
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
    throw toPortError(error, submissionPorts(settings));
  }
}

/** The ports of SMTP submission, with STARTTLS and with implicit TLS. */
export function submissionPorts({
  host,
  smtpPort,
  smtpsPort,
}: Pick<SubmissionSettings, 'host' | 'smtpPort' | 'smtpsPort'>): readonly ConfiguredPort[] {
  const of = (port: number, setting: string): ConfiguredPort => {
    return { host, port, settings: { host: 'POSTRIDER_HOST', port: setting }, purpose: 'SMTP submission' };
  };
  return [of(smtpPort, 'POSTRIDER_SMTP_PORT'), of(smtpsPort, 'POSTRIDER_SMTPS_PORT')];
}
