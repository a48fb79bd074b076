import { decodeBytes } from '../smtp-submission/decode-content.ts';
import type { MimePart } from '../smtp-submission/read-mime.ts';
import { type Fields, firstOf, readReturnedHeader } from './field-groups.ts';

/** The message that a report is about, as far as the report contains it. */
export interface ReturnedMessage {
  readonly fields: Fields;
  /** The returned message is a report itself. */
  readonly isReport: boolean;
}

const RETURNED = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers'];

export function readReturned(report: MimePart): ReturnedMessage {
  const part = report.parts.find(({ contentType }) => RETURNED.includes(contentType.value));
  const fields: Fields = part === undefined ? new Map() : readReturnedHeader(decodeBytes(part));
  return { fields, isReport: /^multipart\/report\b/i.test(firstOf(fields, 'content-type') ?? '') };
}
