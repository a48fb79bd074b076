/** Who paused an account or a key. An unrecorded pauser counts as a user. */
export interface Pauser {
  /** The key, or that of the user's seat; null if unknown. */
  readonly keyId: string | null;
  readonly isUser: boolean;
  /** The address of a user, or the name of a key; null if unknown. */
  readonly name: string | null;
}

/** What to do with a pause. `take-over` keeps the pause and makes it the user's. */
export type PauseStep = 'nothing' | 'pause' | 'take-over' | 'resume' | 'refuse';

/**
 * Only a user can resume what a user paused, because a program that retries must not undo a user's stop. A user who pauses what a key has
 * paused takes the pause over, so that the key cannot resume afterward.
 * @param present null if nothing is paused
 */
export function decidePause(present: Pick<Pauser, 'isUser'> | null, wantsPaused: boolean, isUser: boolean): PauseStep {
  if (present === null) return wantsPaused ? 'pause' : 'nothing';
  if (wantsPaused) return isUser && !present.isUser ? 'take-over' : 'nothing';
  return present.isUser && !isUser ? 'refuse' : 'resume';
}
