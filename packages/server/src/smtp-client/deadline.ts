/**
 * A deadline that moves with every reply of a connection. Moving it writes a number and leaves the running timer alone:
 * a timer that fires too early is armed again for the rest, so that a message costs no timer of its own.
 */
export class Deadline {
  readonly #onExpired: () => void;
  #timer: NodeJS.Timeout | null = null;
  #expiresAtMs = Number.POSITIVE_INFINITY;
  #firesAtMs = 0;

  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /** Sets the deadline to `delayMs` from now, in place of the one before. */
  set(delayMs: number): void {
    const nowMs = performance.now();
    this.#expiresAtMs = nowMs + delayMs;
    if (this.#timer === null || this.#firesAtMs > this.#expiresAtMs) this.#arm(nowMs);
  }

  /** Takes the deadline away for good. */
  stop(): void {
    this.#expiresAtMs = Number.POSITIVE_INFINITY;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #arm(nowMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Timers count whole milliseconds and may fire up to one early; rounding up keeps the deadline from falling short.
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
