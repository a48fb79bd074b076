import { EmbeddedPostgresError, USE_OWN_DATABASE } from './embedded-postgres-error.ts';

/** Error messages of PostgreSQL or the system, and what helps. The first match counts. */
const KNOWN_FAILURES: readonly { sign: RegExp; fix: string }[] = [
  {
    sign: /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i,
    fix: 'Free some disk space (a new database takes about 50 MB) and start again.',
  },
  {
    sign: /ENOTDIR|EEXIST|not a directory/i,
    fix: 'Move that file to another place, or choose another data directory with POSTRIDER_DATA_DIR.',
  },
  {
    sign: /EACCES|EPERM|EROFS|permission denied|read-only file system|operation not permitted/i,
    fix: 'Make the data directory and everything in it writable for the user who runs Postrider, or choose another one with POSTRIDER_DATA_DIR.',
  },
  {
    // Not "shared memory" alone: initdb mentions it on success too.
    sign: /could not \w+ .*(shared memory|semaphore)|cannot allocate memory|out of memory/i,
    fix: 'Give the machine or the container more memory (PostgreSQL needs about 256 MB here).',
  },
];

/** The error for something that failed, with `detail` (the end of a log, the system's message) after the description of the action. */
export function describePostgresFailure(attempted: string, detail: string, cause?: unknown): EmbeddedPostgresError {
  const known = KNOWN_FAILURES.find(({ sign }) => sign.test(detail));
  const fix = known?.fix ?? `Correct what PostgreSQL reports, or ${USE_OWN_DATABASE}.`;
  return new EmbeddedPostgresError(`${attempted}: ${detail}`, fix, { cause });
}

/** Returns our own errors unchanged, and describes system errors (an unwritable folder, a full disk). */
export function explainPostgresFailure(attempted: string, error: unknown): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  return describePostgresFailure(attempted, error instanceof Error ? error.message : String(error), error);
}
