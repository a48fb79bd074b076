/** Every exit code of the CLI. */
export const EXIT_CODES = {
  done: 0,
  unexpected: 1,
  usage: 2,
  authentication: 3,
  permission: 4,
  notFound: 5,
  refused: 6,
  rateLimited: 7,
  unavailable: 8,
  pendingApproval: 10,
  waitTimedOut: 11,
  deliveryFailed: 12,
  /** 128 + SIGINT, as in shells. */
  interrupted: 130,
} as const;

export type ExitCodeName = keyof typeof EXIT_CODES;
export type ExitCode = (typeof EXIT_CODES)[ExitCodeName];

/** The meanings, as the help text shows them. */
export const EXIT_CODE_MEANINGS: Readonly<Record<ExitCodeName, string>> = {
  done: 'done',
  unexpected: 'unexpected: an error in the CLI or the server (HTTP 500)',
  usage: 'usage: invalid command line; nothing was sent to the server',
  authentication: 'authentication: no key, or one that is not valid (HTTP 401)',
  permission: 'permission: the key may not do this (HTTP 403)',
  notFound: 'not found (HTTP 404)',
  refused: 'refused: the server rejected the request (HTTP 400, 402, 405, 409, 410, 413, 415, 422)',
  rateLimited: 'rate limited (HTTP 429)',
  unavailable: 'unavailable: no response, a timeout, or HTTP 502, 503, 504; try again later',
  pendingApproval: 'pending approval: the message is held until an approver decides',
  waitTimedOut: 'wait timed out: accepted, but the outcome is not known yet',
  deliveryFailed:
    'delivery failed: accepted, then bounced, complained, failed, suppressed, rejected, expired or canceled',
  interrupted: 'interrupted (SIGINT)',
};

/** The exit code for an HTTP status; null means that there was no response. */
export function exitCodeOfStatus(status: number | null): ExitCode {
  if (status === null) return EXIT_CODES.unavailable;
  const own = BY_STATUS[status];
  if (own !== undefined) return own;
  return status >= 400 && status < 500 ? EXIT_CODES.refused : EXIT_CODES.unexpected;
}

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  401: EXIT_CODES.authentication,
  403: EXIT_CODES.permission,
  404: EXIT_CODES.notFound,
  429: EXIT_CODES.rateLimited,
  // 502 and 504 come from proxies whose server is down. A 500 is a bug, which waiting does not fix.
  502: EXIT_CODES.unavailable,
  503: EXIT_CODES.unavailable,
  504: EXIT_CODES.unavailable,
};
