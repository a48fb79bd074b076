import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { Output } from './output/output.ts';

/** Sooner than this an answer is hardly waited for. */
const SILENT_MS = 2_000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * The same connection, which says at a terminal that an answer is still waited for: what the server asks to have repeated soon, as at a rate
 * limit, is, and takes up to ten seconds each time.
 */
export function patientConnection(connection: ApiConnection, output: Output, { stderr }: CliIo): ApiConnection {
  if (stderr.isTTY !== true || output.isQuiet) return connection;
  return {
    ...connection,
    call: async (...args) => {
      let isTold = false;
      const timer = setTimeout(() => {
        isTold = true;
        stderr.write('Waiting for the server, which is slow, away or limits the rate …');
      }, SILENT_MS);
      try {
        return await connection.call(...args);
      } finally {
        clearTimeout(timer);
        if (isTold) stderr.write(CLEAR_LINE);
      }
    },
  };
}
