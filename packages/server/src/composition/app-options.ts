import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { DatabaseTarget } from '../db/client.ts';
import type { ClientCounter } from '../keys/client-rate-limit.ts';
import type { GeneratedDkimKey } from '../sending-domains/dkim-key.ts';

/** What one of several processes of a server gets from its supervisor. */
export interface Supervision {
  /** The number of this process, from 1. */
  readonly process: number;
  /** Counts anonymous requests for all processes. */
  readonly clients: ClientCounter;
}

/** The options and dependencies of a Postrider process. */
export interface AppOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly target: DatabaseTarget;
  readonly logger: Logger;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** The number of processes of this server; 1 by default. Limits of the whole server are divided by it. */
  readonly processes?: number;
  /** Null, the default, if there is no supervisor. */
  readonly supervision?: Supervision | null;
  /** Creates the RSA keys of domains. By default each in a separate thread, because it takes several hundred milliseconds. */
  readonly generateDkimKey?: () => Promise<GeneratedDkimKey>;
}
