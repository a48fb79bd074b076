/** The role that sees the rows of one account: the one that `app.account_id` names. */
const ACCOUNT_ROLE = 'postrider_app';

export interface SessionOptions {
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  readonly keepPlans?: boolean;
  readonly durable?: false;
  readonly forAccounts?: true;
}

const STATEMENT_TIMEOUT_MS = 30_000;
/** The present `statement_timeout` in milliseconds; the setting itself reads like `30s`, or `0`. */
const TIMEOUT_MS = "(extract(epoch FROM current_setting('statement_timeout')::interval) * 1000)::int";

/** How long the server works on one statement of such a connection. */
export function statementTimeoutOf({ statementTimeoutMs = STATEMENT_TIMEOUT_MS }: SessionOptions): number {
  return statementTimeoutMs;
}

/**
 * What a connection asks for in its startup packet. A pooler between here and the database may drop any of it without a word, as PgBouncer
 * does with what `ignore_startup_parameters` lists. So nothing that keeps accounts apart relies on it: see `TransactionSettings`.
 */
export function startParametersOf(options: SessionOptions): Readonly<Record<string, string | number>> {
  return {
    application_name: options.applicationName,
    TimeZone: 'UTC',
    statement_timeout: statementTimeoutOf(options),
    ...(options.durable === false ? { synchronous_commit: 'off' } : {}),
    ...(options.forAccounts === true ? { role: ACCOUNT_ROLE } : {}),
    ...(options.keepPlans === true
      ? { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }
      : { plan_cache_mode: 'force_custom_plan' }),
  };
}

/** What each transaction of a pool `forAccounts` sets for itself, with the BEGIN that is sent anyway. */
export interface TransactionSettings {
  /** Run on each connection when it is opened; its answer goes to `note`. */
  readonly look: string;
  note(rows: readonly unknown[]): void;
  /** The statements that follow BEGIN. */
  statements(): string;
}

/**
 * The role is set in every transaction. The other settings are set where a connection turned out to start without them: on a direct connection
 * they hold already, and setting them again would cost each transaction a tenth of its time.
 */
export function createTransactionSettings(options: SessionOptions): TransactionSettings {
  const role = `SET LOCAL ROLE ${ACCOUNT_ROLE}`;
  const others = `SET LOCAL statement_timeout = ${statementTimeoutOf(options)}; SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL TimeZone = 'UTC'`;
  // Until a connection was looked at, none is trusted.
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
