/** Something a person has to mend before the server can run or a command can be carried out: what is wrong, and what to do. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** The command line itself is wrong: nothing was begun. */
export class UsageError extends StartError {
  override readonly name = 'UsageError';
}

/** Ends a command that has said all there is to say, with an exit code that is no success. */
export class ExitRequest extends Error {
  override readonly name = 'ExitRequest';
  readonly code: number;
  constructor(code: number) {
    super(`The command ends with the exit code ${code}.`);
    this.code = code;
  }
}

/** Exit codes, as the command line client has them: 2 is what the command line alone finds wrong. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Prints an error and answers the exit code: for people in sentences, and a fault nobody foresaw with its stack; for programs as one line
 * with a problem document (RFC 9457), which has no status where no request was made.
 */
export function reportError(error: unknown, write: (text: string) => void, form: { readonly json: boolean }): number {
  const known = error instanceof Error && 'fix' in error && typeof error.fix === 'string';
  const message = error instanceof Error ? error.message : String(error);
  const isUsage = error instanceof UsageError;
  if (form.json) {
    const fix = known ? error.fix : 'Run the same command again; if it stays, report this message.';
    write(`${JSON.stringify(toProblem(message, String(fix), kindOf(isUsage, known)))}\n`);
  } else if (known) {
    write(`\nerror: ${message}\n  fix: ${error.fix}\n`);
  } else {
    write(`\nunexpected error: ${error instanceof Error ? (error.stack ?? message) : message}\n`);
  }
  return isUsage ? EXIT.usage : EXIT.failed;
}

const TITLES = {
  usage: 'The command line is wrong',
  failed: 'The command could not be carried out',
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
