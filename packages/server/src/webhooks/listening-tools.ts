import type { Caller } from '../keys/caller.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { EventFeeds } from './event-feeds.ts';

/** The tools that send events to programs on developers' own machines. */
export interface ListeningTools {
  readonly feeds: EventFeeds;
  /** Whether a caller may still listen. Rejects as the database does. */
  mayListen(caller: Caller): Promise<boolean>;
  /** The secret that signs streamed and simulated events for a key. */
  secretOf(keyId: string): string;
  /** Posts to this machine; null outside development. */
  readonly localClient: Pick<OutboundClient, 'request'> | null;
}
