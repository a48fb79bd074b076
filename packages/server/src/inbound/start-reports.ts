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

/** A port that cannot be opened. `fix` says what to do about it. */
class InboundPortError extends Error {
  override readonly name = 'InboundPortError';
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/**
 * Opens the port for reports, with STARTTLS if there is a certificate. Other servers send their reports in plaintext
 * too.
 * @throws CertificateError, InboundPortError
 */
export async function startReports(
  settings: ReportSettings,
  tools: Pick<ReportServerOptions, 'sql' | 'clock' | 'ids' | 'logger' | 'name' | 'limits'>,
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
    throw explain(error, settings);
  }
}

function explain(error: unknown, { host, inboundPort }: ReportSettings): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const isTaken = error.code === 'EADDRINUSE';
  const what = isTaken ? 'is in use by another program' : `cannot be opened (${error.code})`;
  const stop = isTaken ? 'Stop that program (another Postrider?), or choose' : 'Choose';
  return new InboundPortError(
    `Port ${inboundPort} for inbound reports on ${host} ${what}.`,
    `${stop} another port: POSTRIDER_INBOUND_PORT=${inboundPort + 1}.`,
  );
}
