/** A line of a screen, safe for a terminal and not wider than it. */
export interface ShownLine {
  readonly text: string;
  readonly tone?: Tone;
  /** The text for screen readers. */
  readonly spoken?: string;
}

/** The meaning of a line; color is never its only sign. */
export type Tone = 'title' | 'faint' | 'bad' | 'good' | 'current';
