import { createServer } from 'node:net';
import { describeSocketError } from '../smtp-client/smtp-fault.ts';

/** The local addresses to connect from, at most one of each family. A family without one is not used. */
export interface SourceAddress {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
}

/**
 * Why this machine cannot send from the address, as the end of a sentence, or null if it can. Only the operating system
 * knows, so we ask it.
 */
export function findAddressFault(address: string): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(`cannot be used on this machine: ${describeSocketError(error)}`));
    probe.listen({ host: address, port: 0, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}
