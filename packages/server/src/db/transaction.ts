import type { Connection, Transaction, TransactionWork } from './query.ts';

/**
 * Runs work between BEGIN and COMMIT on a connection that is reserved for it.
 * @param begin the statements that begin the transaction; asked for once its connection is open
 */
export async function runTransaction<T>(
  reserve: () => Promise<Connection>,
  begin: () => string,
  work: TransactionWork<T>,
): Promise<T> {
  const connection = await reserve();
  const { transaction, end } = createTransaction(connection);
  try {
    const begun = connection.run(begin()).then(noop);
    // A failure to begin is reported by the first statement at the latest, which is sent behind it.
    begun.catch(noop);
    const result = await work(transaction);
    end();
    await begun;
    await commit(connection);
    return result;
  } catch (error) {
    end();
    // Of a connection that was lost nothing is left to be rolled back.
    await connection.run('ROLLBACK').catch(noop);
    throw error;
  } finally {
    connection.release();
  }
}

/**
 * A transaction for as long as it lasts. One branch of some work may fail while another goes on: what that sends later would run within whatever
 * transaction the connection has by then, on the rows of another account.
 */
function createTransaction(connection: Connection): { readonly transaction: Transaction; readonly end: () => void } {
  let isOver = false;
  let savepoints = 0;
  const runUntil = (signal?: AbortSignal) => ({
    async run<Row>(text: string, parameters?: readonly unknown[]) {
      if (isOver) throw new Error('the transaction is over');
      return await connection.run<Row>(text, parameters, signal);
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

/** A transaction in which a statement failed ends in a rollback, also where the work ignored the failure. */
async function commit(connection: Connection): Promise<void> {
  const { command } = await connection.run('COMMIT');
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, and all of it was rolled back');
}

function noop(): void {}
