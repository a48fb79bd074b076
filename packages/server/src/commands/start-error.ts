/** Something a person has to mend before the server can run: what is wrong, and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly fix: string;
  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** Prints an error for a person and answers the exit code; a fault nobody foresaw comes with its stack. */
export function reportError(error: unknown, write: (text: string) => void): number {
  if (error instanceof Error && 'fix' in error && typeof error.fix === 'string') {
    write(`\nerror: ${error.message}\n  fix: ${error.fix}\n`);
    return 1;
  }
  write(`\nunexpected error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return 1;
}
