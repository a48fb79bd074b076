import { EXPORT_FORMATS, LIMITS } from '@postrider/core';
import type { AuthServices } from '../../auth/auth-services.ts';
import { readAccounts } from '../../db/queries/accounts.ts';
import type { Caller } from '../../keys/caller.ts';
import { isStillAllowed } from '../../keys/check-again.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import { exportFileName } from './export-file-name.ts';
import { openExport } from './export-lines.ts';
import { toMessageFilters } from './message-filters.ts';

/** The message log as a file. Everything that must be known before the first byte is read first; the rows follow as they are read. */
export const exportEmails: Handler<'emails.export'> = async (
  { query },
  { services: { database, auth, exports }, caller, signal },
) => {
  const { accountId } = caller;
  const release = exports.tryAcquire(accountId);
  if (release === null) throw new ProblemError('rate_limited', TOO_MANY);
  try {
    const filters = toMessageFilters(query, caller);
    const [[account], file] = await Promise.all([
      readAccounts(database.sql, accountId),
      openExport(database.readsSql, filters, query.format, signal),
    ]);
    const name = exportFileName(account?.name ?? '', database.clock.now(), query.format);
    return {
      headers: {
        'content-type': EXPORT_FORMATS[query.format],
        'content-disposition': `attachment; filename="${name}"`,
        ...(file.isTruncated ? { 'x-export-truncated': 'true' } : {}),
      },
      body: releasing(whileAllowed(file.pieces, auth, caller), release),
    };
  } catch (error) {
    release();
    // A canceled statement looks like a database that is shutting down.
    if (signal.aborted) throw new ProblemError('unavailable', { detail: 'The client closed the connection.' });
    throw error;
  }
};

const TOO_MANY = {
  detail: `The account already has ${LIMITS.exportsAtOnce} exports in progress.`,
  fix: 'Read them to the end or close them, then export again.',
  headers: { 'retry-after': '5' },
};

const CHECK_EVERY_MS = 500;

/** Ends the file early if its reader loses the right to it, since slow readers take minutes. */
async function* whileAllowed(
  pieces: AsyncIterable<string | Uint8Array>,
  { tools }: AuthServices,
  caller: Caller,
): AsyncGenerator<string | Uint8Array, void> {
  let checkedMs = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - checkedMs >= CHECK_EVERY_MS) {
      checkedMs = performance.now();
      if (!(await isStillAllowed(tools.sql, caller, 'emails:read', tools.clock.now()))) {
        throw new Error('the caller lost its permission during the export');
      }
    }
    yield piece;
  }
}

async function* releasing(
  pieces: AsyncIterable<string | Uint8Array>,
  release: () => void,
): AsyncGenerator<string | Uint8Array, void> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}
