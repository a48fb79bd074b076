import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { DatabaseTarget } from '../db/client.ts';
import type { GeneratedDkimKey } from '../sending-domains/dkim-key.ts';

/** What a Postrider is made from. */
export interface AppOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly target: DatabaseTarget;
  readonly logger: Logger;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Makes the RSA keys of domains; unless given each in a thread of its own, which takes some hundred milliseconds. */
  readonly generateDkimKey?: () => Promise<GeneratedDkimKey>;
}
