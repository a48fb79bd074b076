import { toZoneFile } from '@postrider/core';
import { readDomain } from '../../db/queries/domains.ts';
import { toRecords } from '../../sending-domains/domain-record.ts';
import type { Handler } from '../context.ts';
import { assertDomainId, unknownDomain } from './domain-problems.ts';

/** The DNS records of a domain, as JSON or as a zone file. */
export const getDomainRecords: Handler<'domains.records'> = async ({ params }, context) => {
  assertDomainId(params.id);
  const { caller } = context;
  const { database, domains } = context.services;
  const row = await readDomain(database.sql, caller.accountId, params.id);
  if (row === null) throw unknownDomain(params.id);
  const records = toRecords(row, domains.tools.own, database.clock.now());
  return { body: context.prefersText ? toZoneFile(row.name, records) : { records } };
};
