import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { createOutboundClient } from '../../packages/server/src/outbound/outbound-client.ts';
import { createHostResolver } from '../../packages/server/src/outbound/resolve-host.ts';
import {
  createDirectTransport,
  type DirectTransportOptions,
} from '../../packages/server/src/routing/direct-transport.ts';
import type { Transport } from '../../packages/server/src/smtp-client/transport.ts';
import { startDnsServer, type TestDnsServer } from './dns-server.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { type Conversation, type ScriptedServer, startScriptedServer } from './scripted-smtp-server.ts';
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts';

/** A small network on loopback: a DNS server, and mail servers that are different hosts by address and share one port. */
export interface DirectWorld {
  readonly dns: TestDnsServer;
  readonly clock: FakeClock;
  readonly port: number;
  /** Starts a mail server at 127.0.0.<host>, with an address record for the name `mx<host>.test`. */
  sink(host: number, options?: SmtpSinkOptions): Promise<SmtpSink>;
  /** The same, with a scripted server. */
  scripted(host: number, script: (conversation: Conversation) => Promise<void> | void): Promise<ScriptedServer>;
  /** The name of a host at which nothing listens. */
  name(host: number): void;
  /** `mx('a.test', 2, 3)`: host 2 before host 3. */
  mx(domain: string, ...hosts: readonly number[]): void;
  /** `dnsTimeoutMs`: by default long, because responses can be late on a busy machine; use a short one if the DNS does not respond. */
  transport(changes?: Partial<DirectTransportOptions>, dnsTimeoutMs?: number): Transport;
}

/** Tests wait for events that must happen; a timeout fails the test. */
const PATIENT_MS = 15_000;

/** @param afterTest registers a cleanup. */
export async function startDirectWorld(afterTest: (cleanUp: () => unknown) => void): Promise<DirectWorld> {
  const dns = await startDnsServer();
  const clock = createFakeClock();
  // Keeps the port for the whole test, because all other hosts must use the same.
  const holder = await startSmtpSink({ host: '127.0.0.1' });
  afterTest(() => Promise.all([dns.close(), holder.close()]));
  const { port } = holder;
  const name = (host: number) => dns.set(`mx${host}.test`, 'A', [`127.0.0.${host}`]);
  return {
    dns,
    clock,
    port,
    name,
    async sink(host, options = {}) {
      name(host);
      const server = await startSmtpSink({ ...options, port, host: `127.0.0.${host}` });
      afterTest(() => server.close());
      return server;
    },
    async scripted(host, script) {
      name(host);
      const server = await startScriptedServer(script, port, `127.0.0.${host}`);
      afterTest(() => server.close());
      return server;
    },
    mx: (domain, ...hosts) =>
      dns.set(
        domain,
        'MX',
        hosts.map((host, index) => `${(index + 1) * 10} mx${host}.test`),
      ),
    transport(changes = {}, dnsTimeoutMs = PATIENT_MS) {
      const resolver = createDnsResolver({ servers: [dns.address], clock, timeoutMs: dnsTimeoutMs, tries: 1 });
      const http = createOutboundClient({
        allowLoopback: true,
        resolve: createHostResolver(resolver),
        userAgent: 'test',
        ...(changes.trustedCertificates === undefined ? {} : { trustedCertificates: changes.trustedCertificates }),
      });
      const transport = createDirectTransport({
        dns: resolver,
        http,
        clock,
        random: () => 0.5,
        heloName: 'mail.postrider.test',
        sourceAddress: null,
        mxPort: port,
        allowPrivate: true,
        timeouts: { connectMs: PATIENT_MS, commandMs: PATIENT_MS, afterDotMs: PATIENT_MS },
        ...changes,
      });
      afterTest(() => Promise.all([transport.close(), http.close()]));
      return transport;
    },
  };
}
