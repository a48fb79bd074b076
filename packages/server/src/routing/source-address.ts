import { createServer } from 'node:net';
import { describeSocketError } from '../smtp-client/smtp-fault.ts';

/** The addresses of this machine to connect from, one of each family at most. A family without one is not used. */
export interface SourceAddress {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
}

/** Why this machine cannot send from the address, in words that follow it; null where it can. Asks the system, which alone knows. */
export function findAddressFault(address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(`cannot be used on this machine: ${describeSocketError(error)}`));
    probe.listen({ host: address, port: 0, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}
