/** A problem that a user must fix before the server can run or a command can finish: what is wrong, and what to do. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** The command line itself is wrong: nothing was started. */
export class UsageError extends StartError {
  override readonly name = 'UsageError';
}

/** Ends a command that has printed everything, with an exit code other than 0. */
export class ExitRequest extends Error {
  override readonly name = 'ExitRequest';
  readonly code: number;
  constructor(code: number) {
    super(`The command exits with code ${code}.`);
    this.code = code;
  }
}

/** Exit codes, the same as in the command line client: 2 means an error in the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Prints an error and returns the exit code. Users get sentences, and unexpected errors with their stack. Programs get
 * one line with a problem document (RFC 9457), which has no status if there was no request.
 */
export function reportError(error: unknown, write: (text: string) => void, form: { readonly json: boolean }): number {
  const known = error instanceof Error && 'fix' in error && typeof error.fix === 'string';
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  if (form.json) {
    const fix = known ? error.fix : 'Run the same command again. If the error persists, report this message.';
    write(`${JSON.stringify(toProblem(message, String(fix), kindOf(isUsage, known)))}\n`);
  } else if (known) {
    write(`\nerror: ${message}\n  fix: ${error.fix}\n`);
  } else {
    write(`\nunexpected error: ${error instanceof Error ? (error.stack ?? message) : message}\n`);
  }
  return isUsage ? EXIT.usage : EXIT.failed;
}

const TITLES = {
  usage: 'Invalid command line',
  failed: 'The command failed',
  unexpected: 'Something broke',
} as const;

function kindOf(isUsage: boolean, isKnown: boolean): keyof typeof TITLES {
  if (isUsage) return 'usage';
  return isKnown ? 'failed' : 'unexpected';
}

function toProblem(detail: string, fix: string, code: keyof typeof TITLES) {
  const title = TITLES[code];
  return { type: 'about:blank', title, status: null, detail, code, fix, retryable: false, requestId: null };
}
