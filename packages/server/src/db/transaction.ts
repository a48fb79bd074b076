import type { Connection, Query, Transaction, TransactionWork } from './query.ts';
import type { QueryResult, RunOptions } from './query-result.ts';

/**
 * Runs work between BEGIN and COMMIT on a reserved connection.
 * @param begin returns the statements that begin the transaction; called once its connection is open
 */
export async function runTransaction<T>(
  reserve: () => Promise<Connection>,
  begin: () => string,
  work: TransactionWork<T>,
): Promise<T> {
  const connection = await reserve();
  const { transaction, end } = createTransaction(connection);
  try {
    const began = connection.run(begin()).then(noop);
    // If BEGIN fails, the first statement, which is sent after it, reports the failure.
    began.catch(noop);
    const result = await work(transaction);
    end();
    await began;
    await commit(connection);
    return result;
  } catch (error) {
    end();
    // A lost connection has nothing to roll back.
    await connection.run('ROLLBACK').catch(noop);
    throw error;
  } finally {
    connection.release();
  }
}

interface ConnectionSource {
  runOnConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
}

/**
 * Sends BEGIN, the statements of the work and COMMIT together. See Sql.
 * @param begin returns the statements that begin the transaction; called once its connection is open
 */
export async function runTogether<T>(
  pool: ConnectionSource,
  begin: () => string,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  return await pool.runOnConnection(async (connection) => {
    const began = connection.run(begin()).then(noop);
    const worked = (async () => ({ result: await work(connection) }))();
    const ended = connection.run('COMMIT');
    // A failure is reported at once, but the connection is released only after all statements have completed.
    void Promise.allSettled([began, worked, ended]).then(() => connection.release());
    await began;
    const { result } = await worked;
    assertCommitted(await ended);
    return result;
  });
}

/**
 * A transaction that rejects statements after its end. One branch of the work may fail while another continues: the statements it sends
 * later would run in the connection's next transaction, on the rows of another account.
 */
function createTransaction(connection: Connection): { readonly transaction: Transaction; readonly end: () => void } {
  let isOver = false;
  let savepoints = 0;
  const runUntil = (signal?: AbortSignal) => ({
    async run<Row>(text: string, parameters?: readonly unknown[], options?: RunOptions) {
      if (isOver) throw new Error('the transaction is over');
      return await connection.run<Row>(text, parameters, { signal, isRaw: options?.isRaw });
    },
  });
  const { run } = runUntil();
  const transaction: Transaction = {
    run,
    until: runUntil,
    async savepoint<T>(work: TransactionWork<T>): Promise<T> {
      savepoints += 1;
      const name = `point_${savepoints}`;
      await run(`SAVEPOINT ${name}`);
      try {
        return await work(transaction);
      } catch (error) {
        await run(`ROLLBACK TO SAVEPOINT ${name}`);
        throw error;
      }
    },
  };
  const end = () => {
    isOver = true;
  };
  return { transaction, end };
}

/** PostgreSQL rolls a failed transaction back on COMMIT, even if the work ignored the failed statement. */
async function commit(connection: Connection): Promise<void> {
  assertCommitted(await connection.run('COMMIT'));
}

function assertCommitted({ command }: Pick<QueryResult<unknown>, 'command'>): void {
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, and all of it was rolled back');
}

function noop(): void {}
