export type DoctorStatus = 'pass' | 'warn' | 'fail' | 'skip';

/** One thing that was looked at. `message` says how it is, `fix` what to do about it; null where there is nothing to do. */
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

/** What to say of an error that nobody has explained better. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The way out that an error of ours names, or else this one. */
export function fixOf(error: unknown, otherwise: string): string {
  return error instanceof Error && 'fix' in error && typeof error.fix === 'string' ? error.fix : otherwise;
}
