/** A line of a screen, safe for a terminal and no wider than it was laid out for. */
export interface ShownLine {
  readonly text: string;
  readonly tone?: Tone;
  /** What a screen reader says instead. */
  readonly spoken?: string;
}

/** What a line is; never told by colour alone. */
export type Tone = 'title' | 'faint' | 'bad' | 'good' | 'current';
