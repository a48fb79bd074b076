import type { Config } from '../config.ts';
import { clientShareOf, shareOf } from '../process-share.ts';
import { WAITING_PER_ADDRESS } from '../smtp-submission/connection-places.ts';

/** The settings with the part of the limits on connections that each process enforces. */
export function dividedAmong(processes: number, config: Config): Config {
  const share = ({ total, perAddress }: Config['connections']) => ({
    total: shareOf(total, processes),
    perAddress: clientShareOf(perAddress, processes),
  });
  // A tenth of the part would leave less slack.
  const waitingPerAddress = clientShareOf(
    Math.ceil(config.smtpConnections.perAddress * WAITING_PER_ADDRESS),
    processes,
  );
  return {
    ...config,
    connections: share(config.connections),
    smtpConnections: { ...share(config.smtpConnections), waitingPerAddress },
  };
}
