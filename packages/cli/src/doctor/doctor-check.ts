import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';

export type DoctorStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** One thing that was looked at, in the form that `postrider-server doctor` has too. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: DoctorStatus;
  readonly message: string;
  /** What to do about it; null where there is nothing to do. */
  readonly fix: string | null;
}

/** A check with the exit code that its failure ends the command with. */
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
