import type { OperationById, OperationOutput } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

type RequestRecord = OperationOutput<OperationById<'requests.get'>>;

/** One logged request on a line; ids and paths are as callers wrote them. */
export function requestRow({ id, method, path, status, code, durationMs, keyId, emailId, createdAt }: RequestRecord) {
  const parts = [
    `${createdAt} ${method} ${path} ${status}${code === null ? '' : ` ${code}`} in ${durationMs} ms`,
    `request ${id}`,
    ...(keyId === null ? [] : [`key ${keyId}`]),
    ...(emailId === null ? [] : [`message ${emailId}`]),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
