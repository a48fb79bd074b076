import type { DnsResult } from '../../packages/server/src/dns/dns-resolver.ts';

/** A response with these records. */
export function found<Value>(...values: readonly Value[]): DnsResult<Value> {
  return { kind: 'found', values };
}

export const NO_NAME = { kind: 'no-name' } as const;
export const NO_RECORD = { kind: 'no-record' } as const;
export const SILENT = { kind: 'failed', reason: 'SERVFAIL' } as const;
