/**
 * A deadline that each reply on a connection extends. Extending it only writes a number: the running timer stays, and
 * when it fires too early it is rearmed for the rest. So messages need no timers.
 */
export class Deadline {
  readonly #onExpired: () => void;
  #timer: NodeJS.Timeout | null = null;
  #expiresAtMs = Number.POSITIVE_INFINITY;
  #firesAtMs = 0;

  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /** Sets the deadline to `delayMs` from now and replaces the previous one. */
  set(delayMs: number): void {
    const nowMs = performance.now();
    this.#expiresAtMs = nowMs + delayMs;
    if (this.#timer === null || this.#firesAtMs > this.#expiresAtMs) this.#arm(nowMs);
  }

  /** Removes the deadline permanently. */
  stop(): void {
    this.#expiresAtMs = Number.POSITIVE_INFINITY;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(nowMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Timers count whole milliseconds and may fire up to 1 ms early. Rounding up keeps the deadline from being too short.
    const delayMs = Math.ceil(this.#expiresAtMs - nowMs);
    this.#firesAtMs = nowMs + delayMs;
    this.#timer = setTimeout(() => this.#fire(), delayMs);
  }

  #fire(): void {
    this.#timer = null;
    const nowMs = performance.now();
    if (nowMs < this.#expiresAtMs) this.#arm(nowMs);
    else this.#onExpired();
  }
}
