import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { Output } from './output/output.ts';

/** No message for faster responses. */
const SILENT_MS = 2_000;
const CLEAR_LINE = '\r\u001b[K';

/**
 * The same connection with a message on the terminal during slow calls: a rate-limited request is retried after up to ten seconds each
 * time.
 */
export function withWaitMessage(connection: ApiConnection, output: Output, { stderr }: CliIo): ApiConnection {
  if (stderr.isTTY !== true || output.isQuiet) return connection;
  return {
    ...connection,
    callCommand: async (...args) => {
      let isShown = false;
      const timer = setTimeout(() => {
        isShown = true;
        stderr.write('Still waiting for the server …');
      }, SILENT_MS);
      try {
        return await connection.callCommand(...args);
      } finally {
        clearTimeout(timer);
        if (isShown) stderr.write(CLEAR_LINE);
      }
    },
  };
}
