import { startDnsServer, type TestDnsServer } from '../../harness/dns-server.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../harness/test-app.ts';

export const HELO = 'mail.postrider.example';

/** A record as the API returns it. */
export interface PublishedRecord {
  readonly purpose: string;
  readonly type: 'TXT' | 'MX';
  readonly host: string;
  readonly value: string;
  readonly priority: number | null;
  readonly required: boolean;
}

export interface DomainServer {
  readonly server: TestApp;
  readonly dns: TestDnsServer;
  /** Publishes records as the API returned them. */
  publish(records: readonly PublishedRecord[]): void;
  /** A domain with all its records published and verified. */
  verified(name: string, key?: string): Promise<{ id: string; records: PublishedRecord[]; dkimSelector: string }>;
  close(): Promise<void>;
}

/** A server whose DNS is a real one on loopback, which knows the server's own host. */
export async function startDomainServer(options: TestAppOptions = {}): Promise<DomainServer> {
  const dns = await startDnsServer();
  dns.set(HELO, 'A', ['192.0.2.25']);
  const settings = { POSTRIDER_HELO_NAME: HELO, ...options.settings };
  const server = await startTestApp({ ...options, dnsServers: [dns.address], settings });

  function publish(records: readonly PublishedRecord[]): void {
    for (const { type, host, value, priority } of records) {
      dns.set(host, type, [type === 'MX' ? `${priority} ${value}` : value]);
    }
  }

  return {
    server,
    dns,
    publish,
    async verified(name, key) {
      const given = key === undefined ? {} : { key };
      const created = await server.call('POST', '/domains', { body: { name }, ...given });
      publish(created.body.records);
      const response = await server.call('POST', `/domains/${created.body.id}/verify`, given);
      if (response.body.status !== 'verified') throw new Error(JSON.stringify(response.body));
      return response.body;
    },
    async close() {
      await server.close();
      await dns.close();
    },
  };
}

/** The entries of an account's audit log about domains, oldest first. */
export async function domainAudit(server: TestApp, accountId = server.accountId): Promise<string[]> {
  const rows = await server.database.sql<{ action: string }[]>`
    SELECT action FROM audit_log WHERE account_id = ${accountId} AND action LIKE 'domain.%' ORDER BY seq`;
  return rows.map(({ action }) => action);
}
