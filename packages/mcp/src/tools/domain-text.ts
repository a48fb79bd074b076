import type { OperationById, OperationOutput } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';
import { section } from './message-text.ts';

export type Domain = OperationOutput<OperationById<'domains.get'>>;
export type DomainRecord = Domain['records'][number];

/** A domain with the records to publish; DNS responses are third-party text. */
export function describeDomain(domain: Domain, untrusted: (text: string) => string): string {
  const { id, name, status, statusReason, records, verifiedAt, lastCheckedAt } = domain;
  return [
    `Domain ${name} (${id}): ${status}. ${statusReason === null ? '' : `${statusReason} `}${NEXT_STEP[status]}`,
    `Last looked up: ${lastCheckedAt ?? 'never'}; verified: ${verifiedAt ?? 'no'}`,
    ...describeRecords(records, untrusted),
  ].join('\n');
}

const NEXT_STEP: Readonly<Record<Domain['status'], string>> = {
  pending: 'No send from it is accepted yet: its required records have not been found.',
  verified: 'Sends from it are accepted.',
  degraded: 'Sends from it are accepted for now: a required record is gone and must be published again.',
  failed: 'No send from it is accepted. verify_domain starts the verification again.',
  removed: 'No send from it is accepted. restore_domain restores it.',
};

/** What to publish, and the latest DNS result. */
export function describeRecords(
  records: readonly DomainRecord[],
  untrusted: (text: string) => string,
): readonly string[] {
  const responses = section('What the DNS returned', records.flatMap(foundRow));
  return [
    ...section('Records', records.map(recordRow)),
    ...(responses.length === 0 ? [] : [untrusted(responses.join('\n'))]),
  ];
}

function recordRow({ purpose, type, host, value, priority, ttl, required, status }: DomainRecord): string {
  const preference = priority === null ? '' : ` priority ${priority}`;
  return `${status} | ${purpose}, ${required ? 'required' : 'advice'} | ${type} ${host}${preference} ttl ${ttl} | ${value}`;
}

function foundRow({ purpose, host, reason, found, checkedAt }: DomainRecord): string[] {
  if (reason === null && found.length === 0) return [];
  const seen = found.length === 0 ? 'nothing' : found.join(' ; ');
  return [
    `${purpose} at ${host}: ${reason === null ? '' : `${reason} `}${checkedAt === null ? '' : `Found: ${seen}`}`.trimEnd(),
  ];
}

/** The required records that are missing or wrong, with a word for each; null if there are none. */
function describeFaults(records: readonly DomainRecord[]): string | null {
  const faults = records.filter(({ required, status }) => required && status !== 'pass');
  if (faults.length === 0) return null;
  return faults.map(({ purpose, host, status }) => `${purpose} at ${host} ${status}`).join(', ');
}

/** One domain of a list. */
export function domainRow({ id, name, status, verifiedAt, faults }: DomainSummary): string {
  const parts = [
    `${name} ${status}`,
    id,
    ...(verifiedAt === null ? [] : [`verified ${verifiedAt}`]),
    ...(faults === null ? [] : [`wrong: ${faults}`]),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}

/** A row is for finding a domain: twenty with their records would exceed the result size. */
export function summarizeDomain({ records, ...domain }: Domain) {
  return { ...domain, faults: describeFaults(records) };
}

type DomainSummary = ReturnType<typeof summarizeDomain>;
