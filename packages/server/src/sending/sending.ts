import type { Installation } from '../config/installation.ts';
import type { Sql } from '../db/client.ts';
import { type AcceptQueue, type AcceptQueueOptions, createAcceptQueue, ROOM } from './accept-queue.ts';
import { type AcceptanceDryRun, createAcceptanceDryRun } from './acceptance-dry-run.ts';
import { type AccountShares, createAccountShares } from './account-shares.ts';
import type { ContentTools } from './content/prepare-content.ts';

/** The parts that prepare, check and accept sends. */
export interface Sending {
  readonly content: ContentTools;
  readonly acceptanceDryRun: AcceptanceDryRun;
  readonly acceptQueue: AcceptQueue;
  /** Start each request that sends here before its input is validated. */
  readonly shares: AccountShares;
}

export interface SendingOptions
  extends Pick<AcceptQueueOptions, 'clock' | 'ids' | 'unsendable' | 'onAccepted' | 'onFault'> {
  readonly installation: Installation;
  readonly content: ContentTools;
  /** For reads. */
  readonly sql: Sql;
  /** For acceptance, by the kind of send. */
  readonly pools: {
    readonly singles: AcceptQueueOptions['sql'];
    readonly batches: AcceptQueueOptions['batchSql'];
    readonly files: AcceptQueueOptions['filesSql'];
  };
}

export function createSending({ installation, content, sql, pools, ...options }: SendingOptions): Sending {
  const { sandboxDomain, byDomain, retryHours, monthlyQuota } = installation;
  const rules = { ...options, sandboxDomain, monthlyQuota };
  const { singles, batches, files } = pools;
  const shares = createAccountShares({ room: ROOM });
  return {
    content,
    shares,
    acceptanceDryRun: createAcceptanceDryRun({ ...rules, sql }),
    acceptQueue: createAcceptQueue({
      ...rules,
      byDomain,
      retryHours,
      sql: singles,
      batchSql: batches,
      filesSql: files,
      onOutage: shares.failWaiting,
    }),
  };
}
