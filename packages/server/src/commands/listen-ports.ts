import type { Config } from '../config.ts';
import { reportPort } from '../inbound/start-reports.ts';
import { type ConfiguredPort, PortError, toPortError, withOtherPorts } from '../port-error.ts';
import { submissionPorts } from '../smtp-submission/start-submission.ts';
import { openPort } from './open-port.ts';

/** The error of a port that cannot be opened, with every other configured port that is in use. Other errors are returned unchanged. */
export async function explainListenError(error: unknown, config: Config): Promise<unknown> {
  const ports = portsOf(config);
  const explained = toPortError(error, ports);
  return explained instanceof PortError ? await withOtherPorts(explained, ports, isInUse) : explained;
}

function portsOf(config: Config): readonly ConfiguredPort[] {
  const { host, port, metrics, roles } = config;
  const settings = { host: 'POSTRIDER_HOST', port: 'POSTRIDER_PORT' };
  const ofMetrics = { host: 'POSTRIDER_METRICS_HOST', port: 'POSTRIDER_METRICS_PORT' };
  return [
    ...(roles.has('api') ? [{ host, port, settings, purpose: null }] : []),
    ...(metrics === null ? [] : [{ ...metrics, settings: ofMetrics, purpose: 'metrics' }]),
    ...(roles.has('smtp') ? [...submissionPorts(config), reportPort(config)] : []),
  ];
}

async function isInUse({ host, port }: ConfiguredPort): Promise<boolean> {
  return await openPort(host, port).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE',
  );
}
