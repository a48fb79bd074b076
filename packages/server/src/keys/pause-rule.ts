/** Who paused an account or a key. Where no one recorded it, it counts as a user. */
export interface Pauser {
  readonly isUser: boolean;
  /** The address of a user, or the name of a key; null where it is not known. */
  readonly name: string | null;
}

/** What is to happen to a pause: `take-over` leaves it as it is, and makes it the user's. */
export type PauseStep = 'nothing' | 'pause' | 'take-over' | 'resume' | 'refuse';

/**
 * What a user paused, only a user resumes: a program that tries again must not lift a stop that a person made. A user who pauses what a key has
 * paused takes the pause over, so that the key cannot lift it afterwards.
 * @param present null where nothing is paused
 */
export function decidePause(present: Pauser | null, wantsPaused: boolean, isUser: boolean): PauseStep {
  if (present === null) return wantsPaused ? 'pause' : 'nothing';
  if (wantsPaused) return isUser && !present.isUser ? 'take-over' : 'nothing';
  return present.isUser && !isUser ? 'refuse' : 'resume';
}
