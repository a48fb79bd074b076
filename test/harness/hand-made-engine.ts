import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAttachments } from '../../packages/server/src/db/queries/message-attachments.ts';
import { createDeliveryEngine, type DeliveryEngine } from '../../packages/server/src/delivery/delivery-engine.ts';
import { createMessageBuilder } from '../../packages/server/src/delivery/message-builder.ts';
import { createMessageMaker } from '../../packages/server/src/delivery/message-maker.ts';
import { createOutcomeRecorder } from '../../packages/server/src/delivery/outcome-recorder.ts';
import { openReplyJournal } from '../../packages/server/src/delivery/reply-journal.ts';
import { createSigningKeys } from '../../packages/server/src/delivery/signing-keys.ts';
import { createReturnPaths } from '../../packages/server/src/inbound/return-path.ts';
import { openBody } from '../../packages/server/src/keys/sealed-body.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createTrackingUrls } from '../../packages/server/src/links/tracked-body.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import type { OutgoingMessage, RecipientVerdict, Transport } from '../../packages/server/src/smtp-client/transport.ts';
import { createUnsubscribeLinks } from '../../packages/server/src/unsubscribe/unsubscribe-links.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { TEST_SECRET_KEY } from './template-database.ts';
import type { TestApp } from './test-app.ts';

/** An engine on a server's database that delivers to mail servers of the test. */
export async function makeEngine(
  server: TestApp,
  transport: Transport,
  options: { readonly maxInFlight?: number } = {},
): Promise<DeliveryEngine> {
  const { clock, database } = server;
  const { sql } = database;
  const folder = await mkdtemp(join(tmpdir(), 'postrider-journal-'));
  const onError = (error: unknown) => {
    throw error;
  };
  const journal = openReplyJournal(folder, 'here', onError);
  const ids = createIdGenerator();
  const noted = { onRecorded: () => undefined, onDueAt: () => undefined };
  const maker = createMessageMaker();
  const engine = createDeliveryEngine({
    ...{ sql, clock, onError },
    recorder: createOutcomeRecorder({ ...{ sql, ids, journal, onError }, ...noted }),
    builder: createMessageBuilder(
      createSigningKeys(sql, createSecretBox(TEST_SECRET_KEY), clock.now),
      createUnsubscribeLinks({ baseUrl: server.baseUrl, secretKey: TEST_SECRET_KEY }),
      createTrackingUrls(createTrackingTokens(TEST_SECRET_KEY), server.baseUrl),
      (accountId, messageId) => readAttachments(sql, accountId, messageId),
      createReturnPaths(TEST_SECRET_KEY).addressFor,
      (stored) => openBody(createSecretBox(TEST_SECRET_KEY), stored),
      clock.now,
      maker,
      async () => null,
    ),
    transports: new Map([['outbound', transport]]),
    random: () => 0.5,
    onUnapproved: () => Promise.reject(new Error('a message is not what was approved')),
    maxInFlight: options.maxInFlight ?? 100,
  });
  return {
    pump: () => engine.pump(),
    async stop(graceMs) {
      await engine.stop(graceMs);
      await maker.close();
      journal.close();
      await rm(folder, { recursive: true, force: true });
    },
    get inFlight() {
      return engine.inFlight;
    },
    get hasRoom() {
      return engine.hasRoom;
    },
  };
}

/** A simulated transport: the test sets the result for each recipient, all in one domain. */
export function createOutsideWorld(
  respond: (
    outgoing: OutgoingMessage,
    domain: string,
  ) => Promise<Partial<RecipientVerdict>> | Partial<RecipientVerdict>,
): Transport & { readonly attempts: readonly string[] } {
  const attempts: string[] = [];
  return {
    attempts,
    name: 'outside',
    acceptedMeans: 'delivered',
    groupOf: async (domain) => domain,
    send: async (outgoing) => {
      const [first = ''] = outgoing.recipients;
      attempts.push(first);
      const verdict = await respond(outgoing, first.slice(first.indexOf('@') + 1));
      return outgoing.recipients.map((recipient) => {
        const taken = {
          outcome: 'accepted',
          reply: { code: 250, enhanced: '2.0.0', text: '2.0.0 Ok', server: null },
        } as const;
        return { ...{ recipient, reason: '', ambiguous: false }, ...taken, ...verdict };
      });
    },
    check: async () => ({ ok: true, reason: null }),
    abort: () => undefined,
    close: async () => undefined,
  };
}

/** The error of a server that cannot be reached. */
export const UNREACHABLE = { outcome: 'deferred', reply: null, reason: 'the connection was refused' } as const;

/** For tests of other jobs. */
export const NO_APPROVAL_JOBS = { notify: async () => {}, watch: async () => {} };
