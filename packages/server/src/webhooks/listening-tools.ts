import type { Caller } from '../keys/caller.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { EventFeeds } from './event-feeds.ts';

/** What programs on developers' own machines are told of events with. */
export interface ListeningTools {
  readonly feeds: EventFeeds;
  /** Whether a caller may still listen. Rejects as the database does. */
  mayListen(caller: Caller): Promise<boolean>;
  /** What streamed and simulated events are signed with for a key. */
  secretOf(keyId: string): string;
  /** Posts to this machine; null outside of development. */
  readonly localClient: Pick<OutboundClient, 'request'> | null;
}
