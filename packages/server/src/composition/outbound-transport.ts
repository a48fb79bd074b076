import { hostname } from 'node:os';
import type { Clock } from '../clock.ts';
import { sealCaptured } from '../console/captured-mail.ts';
import type { Sql } from '../db/client.ts';
import { insertCaptured } from '../db/queries/captured-messages.ts';
import { createCaptureTransport, type StoreCaptured } from '../delivery/capture.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { chooseHeloName } from '../helo-name.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { createDirectTransport } from '../routing/direct-transport.ts';
import { createSmtpRelayTransport } from '../smtp-client/smtp-relay.ts';
import type { Transport } from '../smtp-client/transport.ts';
import type { AppOptions } from './app-options.ts';

/** The transport from the settings. */
export function createOutboundTransport(
  options: Pick<AppOptions, 'config' | 'clock' | 'baseUrl' | 'random' | 'processes' | 'supervision'>,
  dns: DnsResolver,
  http: OutboundClient,
  storeCaptured: StoreCaptured,
): Transport {
  const { config, clock, baseUrl, processes = 1, supervision } = options;
  const place = { process: supervision?.process ?? 1, processes };
  const heloName = config.heloName ?? chooseHeloName(hostname(), baseUrl, config.sandboxDomain);
  switch (config.transport.kind) {
    case 'relay':
      return createSmtpRelayTransport({ relay: config.transport.relay, heloName, place });
    case 'direct':
      return createDirectTransport({
        dns,
        http,
        clock,
        random: options.random,
        place,
        heloName,
        sourceAddress: config.sourceAddress,
        mxPort: config.mxPort,
        allowPrivate: config.mode === 'development',
      });
    case 'capture':
      return createCaptureTransport(storeCaptured);
  }
}

/** Stores the messages of the `capture` transport in the database. */
export function captureInto(sql: Sql, clock: Clock, secrets: SecretBox): StoreCaptured {
  return async ({ accountId, deliveryId, messageId, mailFrom, recipients, data }) =>
    await insertCaptured(sql, {
      accountId,
      id: deliveryId,
      messageId,
      mailFrom,
      recipients,
      raw: sealCaptured(secrets, accountId, data),
      now: clock.now(),
    });
}
