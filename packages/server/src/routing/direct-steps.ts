import type { RecipientVerdict } from '../smtp-client/transport.ts';

/** RFC 5321, section 5.1 requires at least two servers. Five are enough even for the longest list. */
const MAX_HOSTS = 5;
const MAX_CONNECTS = 5;
/** No other server is tried after this time; the retry schedule continues from here. */
const MAX_ATTEMPT_MS = 300_000;

/** The state of an attempt for one domain. */
export interface DirectProgress {
  /** The servers in the order to try them. */
  readonly hosts: readonly HostProgress[];
  /** Connections tried so far. */
  readonly connects: number;
  readonly elapsedMs: number;
  /** Recipients without a final verdict. */
  readonly undecided: number;
}

export interface HostProgress {
  readonly name: string;
  /** The remaining addresses to try, in order. Null if the name has not been looked up yet. */
  readonly addresses: readonly string[] | null;
}

export type DirectStep =
  | { readonly do: 'look-up'; readonly host: string }
  | { readonly do: 'connect'; readonly host: string; readonly address: string }
  | { readonly do: 'end' };

/**
 * Decides the next step of an attempt: the next address of the current server, else the next server, until every
 * recipient has a verdict or the limit is reached.
 */
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
 * Whether to try this recipient on another server. Not if a server has replied: a rejection is final, and a deferred
 * recipient waits. Not if the message may have arrived either. Only connections that failed or sent invalid replies
 * before that remain.
 */
export function mayTryElsewhere({ outcome, reply, ambiguous }: RecipientVerdict): boolean {
  return outcome === 'deferred' && reply === null && !ambiguous;
}
