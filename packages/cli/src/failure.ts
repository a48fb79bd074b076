import { EXIT_CODES, type ExitCode, exitCodeOfStatus } from './exit-codes.ts';

/**
 * Why a command failed, in the shape of the API's problem body, so that a script reads one form whoever refused. Where the CLI itself
 * refused, `status` and `requestId` are null and `type` is `about:blank` (RFC 9457, 4.2.1).
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
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
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

/** The command line is wrong: `detail` names the flag, `fix` the way out. */
export function usageFailure(detail: string, fix: string): CliFailure {
  return ownFailure(EXIT_CODES.usage, 'usage', 'Invalid command line', detail, fix);
}

/** A refusal by the CLI itself. */
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

/** A refusal by the API, or the lack of an answer, which has no status. */
export function requestFailure(problem: FailureProblem, httpStatus: number | null): CliFailure {
  // Another server's 404 says nothing about what was asked for.
  const isElsewhere = problem.code === 'unexpected_answer' && httpStatus === 404;
  return new CliFailure(isElsewhere ? EXIT_CODES.unexpected : exitCodeOfStatus(httpStatus), problem);
}

/** Anything nobody foresaw: a fault of this program. */
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
