export { decodeAttribute } from './character-references.ts';
export { cut, FINDING_KINDS, type Finding, type FindingKind, type FindingLevel, type FindingPlace } from './finding.ts';
export { type HtmlReader, type HtmlToken, readHtmlTokens } from './html-tokens.ts';
export { findHostLookAlike } from './review-host.ts';
export {
  type MessageReview,
  type MessageToReview,
  type ReviewedBody,
  type ReviewedLink,
  reviewMessage,
} from './review-message.ts';
