import type { RecipientVerdict } from '../smtp-client/transport.ts';

/** RFC 5321, section 5.1 asks for two servers at least; five of the most generous list are enough. */
const MAX_HOSTS = 5;
const MAX_CONNECTS = 5;
/** No further server is tried after this: the retry schedule will come to it. */
const MAX_ATTEMPT_MS = 300_000;

/** Where an attempt for one domain stands. */
export interface DirectProgress {
  /** The servers in the order to try them. */
  readonly hosts: readonly HostProgress[];
  /** Connections that were tried. */
  readonly connects: number;
  readonly elapsedMs: number;
  /** Recipients that have no final verdict. */
  readonly undecided: number;
}

export interface HostProgress {
  readonly name: string;
  /** What is left to try, in order; null where the name has not been looked up yet. */
  readonly addresses: readonly string[] | null;
}

export type DirectStep =
  | { readonly do: 'look-up'; readonly host: string }
  | { readonly do: 'connect'; readonly host: string; readonly address: string }
  | { readonly do: 'end' };

/** What an attempt does next: the next address of the present server, else the next server, until everybody has a verdict or enough was tried. */
export function chooseNextStep({ hosts, connects, elapsedMs, undecided }: DirectProgress): DirectStep {
  if (undecided === 0 || connects >= MAX_CONNECTS || elapsedMs >= MAX_ATTEMPT_MS) return { do: 'end' };
  for (const { name, addresses } of hosts.slice(0, MAX_HOSTS)) {
    if (addresses === null) return { do: 'look-up', host: name };
    const [address] = addresses;
    if (address !== undefined) return { do: 'connect', host: name, address };
  }
  return { do: 'end' };
}

/**
 * Whether another server may be asked about this recipient. Not where a server has answered: a refusal is final, and who is asked for
 * patience waits. Not either where the message may have arrived. What is left are connections that broke or made no sense before that.
 */
export function mayTryElsewhere({ outcome, reply, ambiguous }: RecipientVerdict): boolean {
  return outcome === 'deferred' && reply === null && !ambiguous;
}
