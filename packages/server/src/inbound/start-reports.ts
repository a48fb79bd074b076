import { type ConfiguredPort, toPortError } from '../port-error.ts';
import { type CertificateSettings, chooseCertificate } from '../smtp-submission/certificate.ts';
import { createReportServer, type ReportServer, type ReportServerOptions } from './report-server.ts';
import { createReturnPaths } from './return-path.ts';

/** The settings of inbound reports. */
export interface ReportSettings extends CertificateSettings {
  readonly host: string;
  readonly inboundPort: number;
  readonly sandboxDomain: string;
  readonly secretKey: () => Buffer;
  readonly formerSecretKeys: () => readonly Buffer[];
}

export interface RunningReports extends Pick<ReportServer, 'drain'> {
  readonly port: number;
}

/**
 * Opens the port for reports, with STARTTLS if there is a certificate. Other servers send their reports in plaintext
 * too.
 * @throws CertificateError, PortError
 */
export async function startReports(
  settings: ReportSettings,
  tools: Pick<ReportServerOptions, 'sql' | 'clock' | 'ids' | 'logger' | 'name' | 'limits' | 'processes'>,
): Promise<RunningReports> {
  const { host, inboundPort, sandboxDomain } = settings;
  const server = createReportServer({
    ...tools,
    ...{ host, port: inboundPort, sandboxDomain },
    certificate: chooseCertificate(settings, tools.clock.now()),
    returnPaths: createReturnPaths(settings.secretKey(), settings.formerSecretKeys()),
  });
  try {
    return { port: await server.listen(), drain: server.drain };
  } catch (error) {
    await server.drain();
    throw toPortError(error, [reportPort(settings)]);
  }
}

/** The port for reports. */
export function reportPort({ host, inboundPort: port }: Pick<ReportSettings, 'host' | 'inboundPort'>): ConfiguredPort {
  const settings = { host: 'POSTRIDER_HOST', port: 'POSTRIDER_INBOUND_PORT' };
  return { host, port, settings, purpose: 'inbound reports' };
}
