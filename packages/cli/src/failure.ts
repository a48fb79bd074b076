import { EXIT_CODES, type ExitCode, exitCodeOfStatus } from './exit-codes.ts';

/**
 * Why a command failed, in the shape of the API's problem body, so that scripts parse one form for all errors. For errors of the CLI itself,
 * `status` and `requestId` are null and `type` is `about:blank` (RFC 9457, 4.2.1).
 */
export interface FailureProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number | null;
  readonly detail: string;
  readonly code: string;
  readonly fix: string | null;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly errors?: readonly {
    readonly path: string;
    readonly code: string;
    readonly message: string;
    /** The flag or argument that set the field. */
    readonly flag?: string;
  }[];
  readonly recipients?: readonly { readonly email: string; readonly kind: string; readonly code: string }[];
}

/** Ends a command with an exit code and a report. */
export class CliFailure extends Error {
  readonly exitCode: ExitCode;
  readonly problem: FailureProblem;

  constructor(exitCode: ExitCode, problem: FailureProblem) {
    super(problem.detail);
    this.name = 'CliFailure';
    this.exitCode = exitCode;
    this.problem = problem;
  }
}

/** An invalid command line: `detail` names the flag, `fix` the correction. */
export function usageFailure(detail: string, fix: string): CliFailure {
  return ownFailure(EXIT_CODES.usage, 'usage', 'Invalid command line', detail, fix);
}

/** An error of the CLI itself. */
export function ownFailure(
  exitCode: ExitCode,
  code: string,
  title: string,
  detail: string,
  fix: string,
  retryable = false,
): CliFailure {
  return new CliFailure(exitCode, {
    type: 'about:blank',
    title,
    status: null,
    detail,
    code,
    fix,
    retryable,
    requestId: null,
  });
}

/** An error of the API, or a missing response, which has no status. */
export function requestFailure(problem: FailureProblem, httpStatus: number | null): CliFailure {
  // A 404 of another server says nothing about the requested record.
  const isElsewhere = problem.code === 'unexpected_answer' && httpStatus === 404;
  return new CliFailure(isElsewhere ? EXIT_CODES.unexpected : exitCodeOfStatus(httpStatus), problem);
}

/** An unexpected error: a bug in this program. */
export function unexpectedFailure(error: unknown): CliFailure {
  const detail = error instanceof Error ? error.message : String(error);
  return ownFailure(
    EXIT_CODES.unexpected,
    'unexpected',
    'Unexpected error in the CLI',
    detail,
    'Run the command again. If the error persists, report it with the output of `postrider --version`.',
  );
}
