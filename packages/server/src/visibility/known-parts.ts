import { maySee, type RecipientKind, type Viewer, type Visibility } from '@postrider/core';

/** Whether a caller knows a part of a message: it sent the message itself, or may see the part. */
export function knows(viewer: Viewer, part: Visibility, senderKeyId: string): boolean {
  return viewer.keyId === senderKeyId || maySee(viewer, part, senderKeyId);
}

/**
 * Whether a message has recipients that the caller does not know. No allowlist, suppression or hold rule may then judge them for this caller:
 * it may control these rules, and would learn the recipients from the outcome.
 */
export function hasUnknownRecipients(
  viewer: Viewer,
  senderKeyId: string,
  recipients: readonly { readonly kind: RecipientKind }[],
): boolean {
  return recipients.some(({ kind }) => !knows(viewer, kind === 'bcc' ? 'message.private' : 'message.log', senderKeyId));
}

/** The same for a held send, whose decision shows `to` and `cc` to everyone who may decide. */
export function hasUnknownHeldRecipients(
  viewer: Viewer,
  senderKeyId: string,
  recipients: readonly { readonly kind: RecipientKind }[],
): boolean {
  return !knows(viewer, 'hold.content', senderKeyId) && recipients.some(({ kind }) => kind === 'bcc');
}

/** The refusal in that case. That there are such recipients is no secret: a message lists them in `redacted`. */
export const UNKNOWN_RECIPIENTS = {
  code: 'missing_scope',
  detail: 'Another sender sent this message, and this key may not see all of its recipients.',
  fix: 'Use the key that sent the message, or a key with the scope `emails:content-all`.',
} as const;
