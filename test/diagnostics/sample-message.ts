import { generateKeyPairSync } from 'node:crypto';
import { dkimSign } from 'mailauth';
import type { TestDnsServer } from '../harness/dns-server.ts';

export const SENDING_ADDRESS = '192.124.249.9';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PRIVATE_PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** What is changed of a message that is as it should be. A header that is null is left out, one with several values is repeated. */
export interface SampleChanges {
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly html?: string | null;
  readonly text?: string | null;
  /** Instead of both parts, with the headers that go with it. */
  readonly body?: string;
  readonly signedFor?: string | null;
  readonly afterSigning?: (raw: string) => string;
}

/** Publishes what makes the sample authentic, for a domain. */
export function publishSender(dns: TestDnsServer, domain: string): void {
  dns.set(domain, 'TXT', [`v=spf1 ip4:${SENDING_ADDRESS} -all`]);
  dns.set(`s._domainkey.${domain}`, 'TXT', [`v=DKIM1; k=rsa; p=${PUBLIC_KEY}`]);
  dns.set(`_dmarc.${domain}`, 'TXT', ['v=DMARC1; p=reject']);
}

const TEXT = 'Hello Ada,\r\nyour order has left our house and will arrive on Tuesday. https://good.test/orders/1\r\n';
const HTML =
  '<p>Hello Ada,</p><p>your order has left our house and will arrive on Tuesday, between nine and twelve. You can follow it on its way.</p><p><a href="https://good.test/orders/1">Follow your order</a> <img src="https://good.test/logo.png" alt="Good"></p>';

/** A message of good.test that nothing is wrong with, except for the changes; whole, as it was received. */
export async function makeSample(now: Date, changes: SampleChanges = {}): Promise<string> {
  const { text = TEXT, html = HTML, signedFor = 'good.test', afterSigning = (raw) => raw } = changes;
  const parts = [
    ...(text === null ? [] : [`--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`]),
    ...(html === null ? [] : [`--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`]),
  ];
  const body = changes.body ?? `${parts.join('')}--b--\r\n`;
  const headers = {
    From: 'Good Shop <shop@good.test>',
    To: 'ada@receiver.test',
    Subject: 'Your order is on its way',
    Date: now.toUTCString(),
    'Message-ID': '<1@good.test>',
    'List-Unsubscribe': '<https://good.test/u/1>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'MIME-Version': '1.0',
    'Content-Type': 'multipart/alternative; boundary=b',
    ...changes.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${one}\r\n`),
  );
  const raw = `${lines.join('')}\r\n${body}`;
  const trace = `Return-Path: <bounce@good.test>\r\nReceived: from mail.good.test (mail.good.test [${SENDING_ADDRESS}])\r\n by mx.receiver.test with ESMTPS id 1; ${now.toUTCString()}\r\n`;
  return afterSigning(`${trace}${signedFor === null ? '' : await sign(raw, signedFor)}${raw}`);
}

async function sign(raw: string, domain: string): Promise<string> {
  const { signatures } = await dkimSign(raw, {
    signingDomain: domain,
    selector: 's',
    privateKey: PRIVATE_PEM,
    signatureData: [{ signingDomain: domain, selector: 's', privateKey: PRIVATE_PEM }],
  });
  return signatures;
}
