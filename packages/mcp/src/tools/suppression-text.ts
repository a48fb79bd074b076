import type { Suppression } from '@postrider/core';
import { toOneLine } from '../untrusted-text.ts';

/** One entry of the suppression list on a line; its note is third-party text. */
export function suppressionRow({ email, reason, createdAt, expiresAt, emailId, note }: Suppression): string {
  const parts = [
    `${email} ${reason} since ${createdAt}`,
    ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
    ...(emailId === null ? [] : [`message ${emailId}`]),
    ...(note === null ? [] : [`note: ${note}`]),
  ];
  return `- ${toOneLine(parts.join(' | '))}`;
}
