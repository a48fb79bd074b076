import { sendRequestSchema } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { reviewMessage } from '../../packages/review/src/index.ts';
import { toQuietHtml } from '../../packages/server/src/console/quiet-html.ts';
import { inspectHtml } from '../../packages/server/src/diagnostics/placement/inspect-html.ts';
import { linksOfText } from '../../packages/server/src/diagnostics/placement/judge-links.ts';
import { readRawMessage } from '../../packages/server/src/diagnostics/placement/read-raw-message.ts';
import { parseJsonBody } from '../../packages/server/src/http/json-body.ts';
import { readReport } from '../../packages/server/src/inbound/read-report.ts';
import { jsonPieces } from '../../packages/server/src/json-pieces.ts';
import { findLinkHosts } from '../../packages/server/src/links/link-hosts.ts';
import { readProtectedLinks } from '../../packages/server/src/links/protected-links.ts';
import { planTracking, trackHtml } from '../../packages/server/src/links/track-html.ts';
import { composeMime } from '../../packages/server/src/mime/compose-mime.ts';
import { canonicalizeMessage } from '../../packages/server/src/mime/dkim-canonical.ts';
import { findTextFault } from '../../packages/server/src/operations/text-faults.ts';
import { createBodyShaper } from '../../packages/server/src/sending/content/body-shaper.ts';
import { decodeBase64 } from '../../packages/server/src/sending/content/decode-base64.ts';
import { tagLinks } from '../../packages/server/src/sending/content/tag-links.ts';
import { deriveText } from '../../packages/server/src/sending/derive-text.ts';
import { fingerprintOf } from '../../packages/server/src/sending/idempotency.ts';
import { toSendRequest } from '../../packages/server/src/smtp-submission/to-send-request.ts';
import { createJobThreads } from '../../packages/server/src/threads/job-threads.ts';
import {
  fillUnsubscribePlaceholder,
  hasUnsubscribePlaceholder,
} from '../../packages/server/src/unsubscribe/placeholder.ts';
import { growthOf, isLinear } from '../harness/growth.ts';
import { type BodyShape, HOSTILE_BODIES, HOSTILE_LINES } from '../harness/hostile-bodies.ts';
import { HOSTILE_MESSAGES } from '../harness/hostile-messages.ts';

const UTM = { source: 'newsletter', medium: 'email', campaign: 'spring', override_existing: true };
const SWITCHES = { opens: true, clicks: true };
const UNSUBSCRIBE = { 'List-Unsubscribe': '<https://a.example/p>' };
const URLS = { open: 'https://mail.example/o', click: (link: number) => `https://mail.example/c/${link}` };

const HELD = { from: 'a@b.example', replyTo: null, to: [], cc: [], bcc: [], subject: 'x', attachments: [] };

/** Everything that reads a body, by what it is for. */
const BODY_WORK: Readonly<Record<string, (body: string) => unknown>> = {
  'deriving the text': deriveText,
  'tagging the links of html': (html) => tagLinks({ utm: UTM, headers: UNSUBSCRIBE }, { html, text: null }),
  'tagging the links of a text': (text) => tagLinks({ utm: UTM, headers: UNSUBSCRIBE }, { html: null, text }),
  'planning what is tracked': (html) => planTracking(html, SWITCHES, readProtectedLinks(UNSUBSCRIBE)),
  'rewriting tracked links': (html) => {
    const tracking = planTracking(html, SWITCHES, readProtectedLinks({}));
    return tracking && trackHtml(html, tracking, URLS);
  },
  'finding where links lead': (body) => findLinkHosts(body, [body]),
  'finding places of unsubscribe links': hasUnsubscribePlaceholder,
  'filling places of unsubscribe links': (body) => fillUnsubscribePlaceholder(body, 'https://mail.example/u'),
  'composing and hashing a message': (html) =>
    canonicalizeMessage(
      composeMime({
        ...{ messageId: 'a@b.example', date: new Date(0), from: { name: null, address: 'a@b.example' } },
        ...{ to: [], cc: [], replyTo: [], subject: 'Hello', text: html, html, headers: [], boundarySeed: 'seed' },
      }),
    ),
  'reading JSON': (body) => parseJsonBody(Buffer.from(JSON.stringify({ body }))),
  'writing JSON': (body) => [...jsonPieces({ body })].length,
  'the fingerprint of a request': (body) => fingerprintOf({ body }),
  'looking for text that cannot be stored': (body) => findTextFault({ body }),
  'decoding base64': decodeBase64,
  'inspecting html for a free check': inspectHtml,
  'finding links of a text for a free check': linksOfText,
  'reviewing the html of a held message': (html) => reviewMessage({ ...HELD, html, text: null }),
  'reviewing the text of a held message': (text) => reviewMessage({ ...HELD, html: null, text }),
  'making html quiet': (html) => toQuietHtml(html),
};

/** Everything that reads a whole message. */
const MESSAGE_WORK: Readonly<Record<string, (message: string) => unknown>> = {
  'reading a submitted message': (raw) => attempt(() => toSendRequest(Buffer.from(raw), ['delivered@sandbox.test'])),
  'reading a report': (raw) => readReport(Buffer.from(raw)),
  'reading a message for a free check': readRawMessage,
};

const CHARACTERS = 50_000;
const LARGEST_CHARACTERS = 2_000_000;

describe('work that grows with the input of a caller', () => {
  it.each(Object.entries(BODY_WORK))(
    'is linear: %s',
    async (_, work) => {
      expect(await findFaster(work, HOSTILE_BODIES, CHARACTERS)).toEqual([]);
    },
    120_000,
  );

  it.each(Object.entries(MESSAGE_WORK))(
    'is linear: %s',
    async (_, work) => {
      expect(await findFaster(work, HOSTILE_MESSAGES, CHARACTERS)).toEqual([]);
    },
    120_000,
  );

  it('is linear: validating a send whose every line is far too long', async () => {
    const work = (line: string) => {
      const address = `${line} <ada@sandbox.test>`;
      const file = { filename: line, content: line, url: line, content_type: `text/plain; ${line}`, content_id: line };
      const fields = { subject: line, tags: [line], metadata: { [line]: line }, headers: { 'X-A': line, [line]: 'x' } };
      const more = { template: line, utm: { source: line, medium: line, campaign: line }, attachments: [file] };
      return sendRequestSchema.safeParse({ from: address, to: [address, line], reply_to: line, ...fields, ...more });
    };
    expect(await findFaster(work, HOSTILE_LINES, CHARACTERS)).toEqual([]);
  }, 120_000);

  it('fits into the memory and the time of a thread, for any body of 2 MB', {
    tags: ['holes.hostile-work'],
    timeout: 240_000,
  }, async () => {
    const threads = createJobThreads();
    const shaper = createBodyShaper(threads);
    const killed: string[] = [];
    try {
      for (const [name, make] of Object.entries(HOSTILE_BODIES)) {
        const html = make(LARGEST_CHARACTERS);
        const asks = { trackOpens: true, trackClicks: true, seeksLinks: true, seeksFiles: true };
        const order = { ...asks, html, text: null, subject: 'x', utm: UTM, headers: UNSUBSCRIBE };
        if ('busy' in (await shaper.shape({ accountId: 'account', keyId: 'key' }, order))) killed.push(name);
      }
    } finally {
      await threads.close();
    }
    expect(killed).toEqual([]);
  });

  it('is detected as quadratic when it is', async () => {
    const work = (text: string) => {
      let count = 0;
      for (let from = 0; from < text.length; from += 16) count += text.indexOf('!', from);
      return count;
    };
    expect(await findFaster(work, { letters: (length) => 'x'.repeat(length) }, 50_000)).toHaveLength(1);
  });
});

/** The shapes that work grows faster with than they do themselves. */
async function findFaster(
  work: (input: string) => unknown,
  shapes: Readonly<Record<string, BodyShape>>,
  characters: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, make] of Object.entries(shapes)) {
    const ratio = await growthOf(work, make, characters);
    if (!isLinear(ratio))
      found.push(`${name}: one of eight times the size takes ${ratio?.toFixed(1)} times as long as eight`);
  }
  return found;
}

/** What is refused costs as well. */
function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
