/** What a failed query means for the caller. */
export type DatabaseFault = 'unavailable' | 'data' | 'conflict' | 'other';

/** SQLSTATE classes: 08 is connection failure, 57P server shutdown, 53 insufficient resources; 22 and 23 are about the data. */
const UNAVAILABLE_STATES = /^(08|57P|53|25006|58)/;
/** The last two: a plan or a prepared statement is no longer valid. The next attempt prepares it again. */
const CONFLICT_STATES = new Set(['40001', '40P01', '55P03', '0A000', '26000']);
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'DATABASE_SILENT',
  'NO_PRIMARY',
  // A local socket whose backlog of new connections is full, such as that of a stopped server.
  'EAGAIN',
]);

/** Classifies an error of the database driver; any other error is `other`. */
export function classifyDatabaseError(error: unknown): DatabaseFault {
  const code = errorCode(error);
  if (code === null) return 'other';
  if (CONNECTION_CODES.has(code) || UNAVAILABLE_STATES.test(code) || code === '57014') return 'unavailable';
  if (CONFLICT_STATES.has(code)) return 'conflict';
  return /^(22|23|54)/.test(code) ? 'data' : 'other';
}

/** Whether the database is unreachable, as opposed to a single statement that failed or was canceled. */
export function isDatabaseLost(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && (CONNECTION_CODES.has(code) || /^(08|57P)/.test(code));
}

/** Whether a unique constraint rejected a row (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === '23505';
}

function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
