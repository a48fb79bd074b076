import ipaddr from 'ipaddr.js';

/**
 * Identifies the client behind an address, for counts by address. An IPv6 client has a whole /64 of addresses (RFC 4291, section 2.5.1). An
 * IPv4-mapped address counts as its IPv4 address.
 */
export function clientOf(address: string): string {
  const known = clients.get(address);
  if (known !== undefined) return known;
  if (clients.size >= MAX_KEPT) clients.clear();
  const client = readClient(address);
  clients.set(address, client);
  return client;
}

/** Clients by address: parsing an address costs more than routing a request. */
const clients = new Map<string, string>();
const MAX_KEPT = 1_000;

function readClient(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  return ip.kind() === 'ipv4' ? ip.toString() : ip.toByteArray().slice(0, 8).join('.');
}

/** Sums by client; a client with a sum of zero uses no memory. */
export interface ClientCounts {
  of(client: string): number;
  add(client: string, by: number): void;
}

export function createClientCounts(): ClientCounts {
  const counts = new Map<string, number>();
  return {
    of: (client) => counts.get(client) ?? 0,
    add(client, by) {
      const count = (counts.get(client) ?? 0) + by;
      if (count > 0) counts.set(client, count);
      else counts.delete(client);
    },
  };
}
