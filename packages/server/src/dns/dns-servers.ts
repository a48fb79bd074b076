import { getServers } from 'node:dns';
import { isIPv6 } from 'node:net';

export interface DnsServerAddress {
  readonly host: string;
  readonly port: number;
  readonly family: 4 | 6;
}

const DNS_PORT = 53;

/** @param servers `address`, `address:port` or `[v6]:port`, already checked; null for those of the system. */
export function readDnsServers(servers: readonly string[] | null): readonly DnsServerAddress[] {
  return (servers ?? getServers()).map(readServer);
}

function readServer(text: string): DnsServerAddress {
  if (isIPv6(text)) return { host: text, port: DNS_PORT, family: 6 };
  const [, six, four = '', port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: six ?? four, port: port === undefined ? DNS_PORT : Number(port), family: six === undefined ? 4 : 6 };
}
