import type { AddedText } from '../../approvals/holds/added-text.ts';
import type { LinkHosts } from '../../links/link-hosts.ts';

/** A send's content as it is stored and delivered: rendered, tagged, its files at hand. Made before acceptance. */
export interface SendContent {
  readonly subject: string;
  /** After UTM tagging, before tracking: what a reader of the API sees. */
  readonly html: string | null;
  readonly text: string | null;
  /** The template with the version that was rendered, `welcome@3`; null without one. */
  readonly template: string | null;
  /** The ids of the keys and users who vouch for the parts that were rendered; null where nothing was rendered, as in a resend. */
  readonly templateMakers: readonly (string | null)[] | null;
  readonly attachments: readonly ContentAttachment[];
  /** Null where the message carries neither pixel nor rewritten link. */
  readonly tracking: ContentTracking | null;
  /** When it is to be delivered; null for at once. */
  readonly scheduledAt: Date | null;
  /** What rules of the key asked about its bodies while it was made. */
  readonly findings?: BodyFindings;
  /** What the variables added to its template, where a rule of the key asked while it was made. */
  readonly addedText?: AddedText;
}

/** What is taken over from a message that is sent again. */
export type StoredContent = Pick<SendContent, 'template' | 'attachments'>;

export interface ContentAttachment {
  /** Sanitised: no folders, no control characters. */
  readonly filename: string;
  readonly contentType: string;
  /** Set where the file is inline. */
  readonly contentId: string | null;
  readonly content: Uint8Array;
  /** True of a file that is named by URL in a dry run: it is not fetched, and its content is empty here. */
  readonly isUnfetched?: true;
}

export interface ContentTracking {
  readonly openPixel: boolean;
  /** The links that are rewritten, in the order of the html; a tracking URL names one by its index. */
  readonly links: readonly string[];
}

/** What rules of a key ask about bodies. What is absent was not asked. */
export interface BodyFindings {
  /** Where the links lead. */
  readonly linkHosts?: LinkHosts;
  readonly embedsFiles?: boolean;
}
