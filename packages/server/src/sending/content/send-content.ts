import type { AddedText } from '../../approvals/holds/added-text.ts';
import type { LinkHosts } from '../../links/link-hosts.ts';

/** The content of a send as it is stored and delivered: rendered, tagged and with its files loaded. Made before acceptance. */
export interface SendContent {
  readonly subject: string;
  /** The bodies after UTM tagging and before tracking, as the API shows them. */
  readonly html: string | null;
  readonly text: string | null;
  /** The template with the rendered version, such as `welcome@3`; null without one. */
  readonly template: string | null;
  /** The ids of the keys and users who vouch for the rendered parts. Null if nothing was rendered, as in a resend. */
  readonly templateMakers: readonly (string | null)[] | null;
  readonly attachments: readonly ContentAttachment[];
  /** Null if the message has neither a tracking pixel nor rewritten links. */
  readonly tracking: ContentTracking | null;
  /** When it is to be delivered; null for immediately. */
  readonly scheduledAt: Date | null;
  /** What the rules of the key needed to know about its bodies when it was made. */
  readonly findings?: BodyFindings;
  /** What the variables added to its template, if a rule of the key needed that when it was made. */
  readonly addedText?: AddedText;
}

/** What a resend takes over from the first message. */
export interface StoredContent extends Pick<SendContent, 'template' | 'attachments'> {
  /** Whether the caller may not read it. Rules about content then hold the send, so that they reveal nothing. */
  readonly isHidden: boolean;
}

export interface ContentAttachment {
  /** Sanitized: no folders, no control characters. */
  readonly filename: string;
  readonly contentType: string;
  /** Set if the file is inline. */
  readonly contentId: string | null;
  readonly content: Uint8Array;
  /** True for a file that a dry run names by URL: it is not fetched, so its content is empty. */
  readonly isUnfetched?: true;
}

export interface ContentTracking {
  readonly openPixel: boolean;
  /** The rewritten links, in the order of the HTML. A tracking URL names a link by its index. */
  readonly links: readonly string[];
}

/** What the rules of a key need to know about bodies. Missing fields were not requested. */
export interface BodyFindings {
  /** Where the links lead. */
  readonly linkHosts?: LinkHosts;
  readonly embedsFiles?: boolean;
}
