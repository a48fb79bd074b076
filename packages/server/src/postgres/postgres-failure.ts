import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';

/** What PostgreSQL or the system says in its own words, and what helps. The first that matches counts. */
const KNOWN_FAILURES: readonly { sign: RegExp; fix: string }[] = [
  {
    sign: /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i,
    fix: 'Free some disk space (a new database takes about 50 MB) and start again.',
  },
  {
    sign: /ENOTDIR|EEXIST|not a directory/i,
    fix: 'Move that file out of the way, or choose another data directory with POSTRIDER_DATA_DIR.',
  },
  {
    sign: /EACCES|EPERM|EROFS|permission denied|read-only file system|operation not permitted/i,
    fix: 'Make the data directory, and all that is in it, writable for the user who runs Postrider, or choose another one with POSTRIDER_DATA_DIR.',
  },
  {
    // Not "shared memory" alone: initdb speaks of it when all is well.
    sign: /could not \w+ .*(shared memory|semaphore)|cannot allocate memory|out of memory/i,
    fix: 'Give the machine or the container more memory (PostgreSQL needs about 256 MB here).',
  },
];

/** The error for something that failed, with `detail` (a log's tail, the system's words) behind what was being done. */
export function describePostgresFailure(attempted: string, detail: string, cause?: unknown): EmbeddedPostgresError {
  const known = KNOWN_FAILURES.find(({ sign }) => sign.test(detail));
  const fix = known?.fix ?? `Correct what PostgreSQL reports, or ${USE_OWN_DATABASE}.`;
  return new EmbeddedPostgresError(`${attempted}: ${detail}`, fix, { cause });
}

/** Passes our own errors on and puts a system error (an unwritable folder, a full disk) into words. */
export function explainPostgresFailure(attempted: string, error: unknown): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  return describePostgresFailure(attempted, error instanceof Error ? error.message : String(error), error);
}
