import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { DatabaseTarget } from '../db/client.ts';
import type { GeneratedDkimKey } from '../sending-domains/dkim-key.ts';

/** The options and dependencies of a Postrider process. */
export interface AppOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly target: DatabaseTarget;
  readonly logger: Logger;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Creates the RSA keys of domains. By default each in a separate thread, because it takes several hundred milliseconds. */
  readonly generateDkimKey?: () => Promise<GeneratedDkimKey>;
}
