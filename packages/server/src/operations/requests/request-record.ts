import type { OperationById, OperationOutput } from '@postrider/core';
import type { RequestRow } from '../../db/queries/request-log.ts';

/** A logged request as the API returns it. */
export function toRequestRecord(row: RequestRow): OperationOutput<OperationById<'requests.get'>> {
  const { rowId: _, createdAt, ...record } = row;
  return { ...record, createdAt: createdAt.toISOString() };
}
