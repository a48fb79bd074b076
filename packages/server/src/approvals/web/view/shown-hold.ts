import type { Approval, FieldProblem } from '@postrider/core';
import type { HeldReading } from '../held-reading.ts';
import type { Forecast } from './acceptance-forecast.ts';

/** What the view of a held message needs. */
export interface HeldView {
  readonly approval: Approval;
  /** The address of the page, under which its frame, files and forms are: `/console/approvals/…` or the link in a mail. */
  readonly base: string;
  readonly reading: HeldReading;
  readonly now: string;
  readonly mayDecide: boolean;
  /** Where several people must approve, or the key names its approvers: what the page says about them. */
  readonly voting: Voting;
  /** The host name that passkeys are bound to; null if this server has none. */
  readonly passkeyHost: string | null;
  /** Whether the decision can trust the recipients from now on. */
  readonly mayRemember: boolean;
  /** Whether the frame loads pictures from other servers. */
  readonly loadsPictures: boolean;
  readonly forecast: Forecast;
  /** The beginnings of attached texts, by the index of the file. */
  readonly excerpts: Readonly<Record<number, Excerpt>>;
  /** The page after a decision; null to stay. */
  readonly next: string | null;
  /** What was wrong with a decision that was refused. */
  readonly errors?: readonly FieldProblem[];
  /** That decision, with the note that was typed; null if none was refused. */
  readonly refused?: RefusedDecision | null | undefined;
}

export interface RefusedDecision {
  readonly decision: 'approve' | 'reject';
  readonly note: string;
}

export interface Voting {
  /** Who has approved this revision, as the viewer knows them: `You`, a name or an address. */
  readonly voters: readonly string[];
  /** The members who can approve, if the key names them; null for every owner, admin and approver. */
  readonly approvers: readonly string[] | null;
  readonly hasVoted: boolean;
  /** Whether the viewer is one of those who can approve. */
  readonly mayApprove: boolean;
}

export interface Excerpt {
  readonly text: string;
  readonly isCut: boolean;
}
