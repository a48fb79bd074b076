import { hash } from 'node:crypto';
import { hashContentNow } from '../../packages/server/src/approvals/holds/content-hash.ts';
import type { DeliveryContent } from '../../packages/server/src/db/queries/load-contents.ts';
import type { MessageOrder } from '../../packages/server/src/delivery/message-order.ts';
import { planTracking } from '../../packages/server/src/links/track-html.ts';
import { createTrackingUrls } from '../../packages/server/src/links/tracked-body.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import type { Attachment } from '../../packages/server/src/mime/compose-mime.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { sampleEmail } from '../parts/sample-email.ts';

const ACCOUNT = '00000000-0000-7000-8000-0000000000a1';
const HOLD = '00000000-0000-7000-8000-0000000000c3';
const trackingUrlsOf = createTrackingUrls(createTrackingTokens(TEST_SECRET_KEY), 'https://mail.example.com');

/** A stored message with ten tracked links, as delivery loads it, and the hash of its content. */
export function heldOrder(index: number, files: readonly Buffer[]): { order: MessageOrder; contentHash: string } {
  const { from, to, subject, html, text } = sampleEmail(9, index);
  const messageId = `01990000-0000-7000-8000-${String(index).padStart(12, '0')}`;
  const attachments: readonly Attachment[] = files.map((content, at) => ({
    ...{ filename: `report-${at}.pdf`, contentType: 'application/pdf', contentId: null, content },
  }));
  const tracking = planTracking(html, { opens: true, clicks: true }, { has: () => false });
  const content: DeliveryContent = {
    ...{ accountId: ACCOUNT, messageId, isSealed: false, createdAt: new Date(), hasBody: true, fromGiven: from },
    ...{ fromDomain: 'sandbox.test', replyTo: null, subject, html, text, headers: {}, unsubscribe: false, tracking },
    recipients: [{ k: 'to', n: null, e: to, o: 0, s: null }],
    ...{ attachmentBytes: files.reduce((sum, { length }) => sum + length, 0), hold: { id: HOLD, receipt: null } },
  };
  const contentHash = hashContentNow({
    ...{ from, replyTo: null, subject, html, text, unsubscribe: false, scheduledAt: null, headers: {} },
    recipients: [{ kind: 'to', name: null, email: to }],
    attachments: attachments.map(({ filename, contentType, contentId, content: bytes }) => ({
      ...{ filename, contentType, contentId, digest: hash('sha256', bytes) },
    })),
  });
  const order: MessageOrder = {
    content,
    from: { name: 'Example Shop', address: 'orders@sandbox.test' },
    ...{ replyTo: [], ordinals: [0], attachments, opened: null, unsubscribeUrl: null, approved: null },
    trackingUrls: tracking === null ? null : trackingUrlsOf(tracking, { accountId: ACCOUNT, messageId }),
  };
  return { order, contentHash };
}
