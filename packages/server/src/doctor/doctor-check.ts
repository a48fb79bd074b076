export type DoctorStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** The result of one check. `message` describes the state, and `fix` says what to do about it, or is null if there is nothing to do. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: DoctorStatus;
  readonly message: string;
  readonly fix: string | null;
}

export function pass(name: string, message: string): DoctorCheck {
  return { name, status: 'pass', message, fix: null };
}

export function skip(name: string, message: string, fix: string | null = null): DoctorCheck {
  return { name, status: 'skip', message, fix };
}

export function warn(name: string, message: string, fix: string): DoctorCheck {
  return { name, status: 'warn', message, fix };
}

export function fail(name: string, message: string, fix: string): DoctorCheck {
  return { name, status: 'fail', message, fix };
}

/** The text for an error without a better description. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The fix that our own error contains, or else the given one. */
export function fixOf(error: unknown, otherwise: string): string {
  return error instanceof Error && 'fix' in error && typeof error.fix === 'string' ? error.fix : otherwise;
}
