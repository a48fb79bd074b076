import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { DatabaseTarget } from '../db/client.ts';

/** What a Postrider is made from. */
export interface AppOptions {
  readonly config: Config;
  readonly baseUrl: string;
  readonly target: DatabaseTarget;
  readonly logger: Logger;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}
