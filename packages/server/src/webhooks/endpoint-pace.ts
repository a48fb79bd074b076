/** How fast to deliver to one endpoint, by its last responses. */
export interface EndpointPace {
  /** Concurrent deliveries. */
  readonly width: number;
  /** Consecutive attempts without a response. */
  readonly silent: number;
  /** Nothing starts before this time. */
  readonly pausedUntil: Date | null;
}

const FIRST_WIDTH = 4;
export const MAX_WIDTH = 50;
/** A slower response does not increase the concurrency. */
const FAST_MS = 1_000;
export const SLOW_MS = 3_000;
/** A slow endpoint keeps moving, but never uses more of the capacity than this. */
const SLOW_WIDTH = 2;
/** After this many without a response, the endpoint is only tried occasionally until it responds. */
const SILENT_MAX = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export const FRESH_PACE: EndpointPace = { width: FIRST_WIDTH, silent: 0, pausedUntil: null };

/** One attempt, as far as it affects the pace. */
export interface PaceSample {
  /** Null if there was no response. */
  readonly statusCode: number | null;
  readonly durationMs: number;
}

/**
 * The pace after an attempt. Each fast response raises the width by one, so that it doubles with every round; slow responses, and those that ask
 * for less, halve it. An endpoint that does not respond is soon down to one request at a time, and then to one in half a minute: its queue
 * costs other endpoints nothing, and no attempt is wasted.
 */
export function nextPace(pace: EndpointPace, { statusCode, durationMs }: PaceSample, now: Date): EndpointPace {
  if (statusCode === null) return afterSilence(pace, now);
  const responding = { silent: 0, pausedUntil: null };
  if (statusCode === 429 || statusCode === 503) return { ...responding, width: halved(pace.width, 1) };
  if (durationMs >= SLOW_MS) return { ...responding, width: halved(pace.width, SLOW_WIDTH) };
  if (durationMs >= FAST_MS || statusCode >= 300) return { ...responding, width: Math.max(pace.width, SLOW_WIDTH) };
  return { ...responding, width: Math.min(MAX_WIDTH, pace.width + 1) };
}

function afterSilence(pace: EndpointPace, now: Date): EndpointPace {
  const silent = pace.silent + 1;
  const over = silent - SILENT_MAX;
  const pauseMs = over < 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(over, 10));
  return {
    width: halved(pace.width, 1),
    silent,
    pausedUntil: pauseMs === 0 ? null : new Date(now.getTime() + pauseMs),
  };
}

function halved(width: number, least: number): number {
  return Math.max(least, Math.floor(width / 2));
}
