/** What a failed query means to the caller. */
export type DatabaseFault = 'unavailable' | 'stale' | 'data' | 'conflict' | 'other';

/** SQLSTATE classes: 08 connection, 57P server shutting down, 53 out of resources; 22 and 23 are about the data given. */
const UNAVAILABLE_STATES = /^(08|57P|53|25006|58)/;
const CONFLICT_STATES = new Set(['40001', '40P01', '55P03']);
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
  // A local socket whose queue of new connections is full, as that of a server that was stopped.
  'EAGAIN',
]);

/** Sorts an error of the database driver; an error of anything else is `other`. */
export function classifyDatabaseError(error: unknown): DatabaseFault {
  const code = errorCode(error);
  if (code === null) return 'other';
  if (code === 'PR001') return 'stale';
  if (CONNECTION_CODES.has(code) || UNAVAILABLE_STATES.test(code) || code === '57014') return 'unavailable';
  if (CONFLICT_STATES.has(code)) return 'conflict';
  return /^(22|23|54)/.test(code) ? 'data' : 'other';
}

/** Whether nobody is there to ask, as against one statement that failed or was ended. */
export function isDatabaseLost(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && (CONNECTION_CODES.has(code) || /^(08|57P)/.test(code));
}

/** Whether a row could not be written because another one has its name (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === '23505';
}

function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
