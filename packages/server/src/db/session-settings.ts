import type { Query } from './query.ts';

/** The role that sees only the rows of the account in `app.account_id`. */
const ACCOUNT_ROLE = 'postrider_app';

export interface SessionOptions {
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  readonly keepPlans?: boolean;
  readonly memoize?: false;
  readonly durable?: false;
  readonly forAccounts?: true;
}

const STATEMENT_TIMEOUT_MS = 30_000;
/** The current `statement_timeout` in milliseconds; the setting itself reads like `30s` or `0`. */
const TIMEOUT_MS = "(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::int";

export function statementTimeoutOf({ statementTimeoutMs = STATEMENT_TIMEOUT_MS }: SessionOptions): number {
  return statementTimeoutMs;
}

/**
 * The startup parameters of a connection. A pooler may silently drop any of them, as PgBouncer does with those in
 * `ignore_startup_parameters`. So account isolation never relies on them: see `TransactionSettings`.
 */
export function startParametersOf(options: SessionOptions): Readonly<Record<string, string | number>> {
  return {
    application_name: options.applicationName,
    TimeZone: 'UTC',
    statement_timeout: statementTimeoutOf(options),
    ...(options.durable === false ? { synchronous_commit: 'off' } : {}),
    ...(options.memoize === false ? { enable_memoize: 'off' } : {}),
    ...(options.forAccounts === true ? { role: ACCOUNT_ROLE } : {}),
    ...(options.keepPlans === true
      ? { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }
      : { plan_cache_mode: 'force_custom_plan' }),
  };
}

/**
 * For statements whose best plan does not depend on their parameters. Because sequential scans are off, a plan that was made while a table
 * was small still uses its indexes.
 */
export const KEEP_PLANS = 'SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_seqscan = off';

/** Lets the statements of a transaction reuse their plans. Each must be best with the same plan, whatever its parameters. */
export async function keepPlans(transaction: Query): Promise<void> {
  await transaction.run(KEEP_PLANS);
}

/** What each transaction of a pool opened with `forAccounts` sets, together with its BEGIN. */
export interface TransactionSettings {
  /** Runs on each connection when it is opened; `note` gets the result. */
  readonly look: string;
  note(rows: readonly unknown[]): void;
  /** The statements that follow BEGIN. */
  statements(): string;
}

/**
 * Sets the role in every transaction. Sets the other settings only if a connection started without them: a direct connection has them
 * already, and setting them again would cost a tenth of each transaction's time.
 */
export function createTransactionSettings(options: SessionOptions): TransactionSettings {
  const role = `SET LOCAL ROLE ${ACCOUNT_ROLE}`;
  const others = `SET LOCAL statement_timeout = ${statementTimeoutOf(options)}; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL TimeZone = 'UTC'`;
  // No connection is trusted until it was checked.
  let isComplete = false;
  return {
    look: `SELECT ${TIMEOUT_MS} = ${statementTimeoutOf(options)} AND current_setting('plan_cache_mode') = 'force_custom_plan'
      AND current_setting('TimeZone') = 'UTC' AS complete`,
    note(rows) {
      isComplete =
        rows.length > 0 && rows.every((row) => row instanceof Object && Reflect.get(row, 'complete') === true);
    },
    statements: () => (isComplete ? role : `${role}; ${others}`),
  };
}

/** Marks a transaction whose statements are sent together. */
export const SET_TOGETHER = `SET LOCAL postrider.together = 'on'`;
/** Whether a statement runs in such a transaction. */
export const IS_TOGETHER = `current_setting('postrider.together', true) IS NOT DISTINCT FROM 'on'`;
