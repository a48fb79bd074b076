import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';

export type DoctorStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** One check, in the same form as in `postrider-server doctor`. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: DoctorStatus;
  readonly message: string;
  /** What to do, or null. */
  readonly fix: string | null;
}

/** A check with the exit code of its failure. */
export interface Finding {
  readonly check: DoctorCheck;
  readonly exitCode: ExitCode;
}

export function pass(name: string, message: string): Finding {
  return { check: { name, status: 'pass', message, fix: null }, exitCode: EXIT_CODES.done };
}

export function skip(name: string, message: string): Finding {
  return { check: { name, status: 'skip', message, fix: null }, exitCode: EXIT_CODES.done };
}

export function warn(name: string, message: string, fix: string): Finding {
  return { check: { name, status: 'warn', message, fix }, exitCode: EXIT_CODES.done };
}

export function fail(name: string, message: string, fix: string, exitCode: ExitCode = EXIT_CODES.unexpected): Finding {
  return { check: { name, status: 'fail', message, fix }, exitCode };
}
