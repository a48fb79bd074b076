import { type FieldProblem, type SendRequest, sendRequestSchema, toFieldProblems } from '@postrider/core';
import type { SubmittedInput } from './to-send-request.ts';

export type CheckedRequest =
  | { readonly ok: true; readonly request: SendRequest }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** The names of request fields in a message. */
const HEADER_OF: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'recipients',
  reply_to: 'Reply-To',
  subject: 'Subject',
  html: 'body',
  text: 'body',
  agent_name: 'X-Service-Agent',
  source: 'X-Service-Source',
  tags: 'X-Tag',
};

/** Validates a message against the one schema of all sends, so that SMTP has the same limits. Problems use the sender's own names. */
export function checkSendRequest(input: SubmittedInput): CheckedRequest {
  const isBlind = input.to.length === 0;
  // The schema requires a recipient in `to`. A message to only cc and bcc recipients is normal in SMTP, so it is checked
  // as if they were in `to`.
  const { cc = [], bcc = [], ...rest } = input;
  const result = sendRequestSchema.safeParse(isBlind ? { ...rest, to: [...cc, ...bcc] } : input, { reportInput: true });
  if (result.success) {
    const { data } = result;
    return { ok: true, request: isBlind ? toCopies(data, cc.length) : data };
  }
  const problems = toFieldProblems(result.error.issues, 'message');
  return { ok: false, problems: problems.map((problem) => ({ ...problem, path: nameOf(problem.path) })) };
}

function toCopies(data: SendRequest, ccCount: number): SendRequest {
  return { ...data, to: [], cc: data.to.slice(0, ccCount), bcc: data.to.slice(ccCount) };
}

function nameOf(path: string): string {
  const [field = '', ...rest] = path.split('.');
  if (field === 'headers') return rest.join('.');
  return HEADER_OF[field] ?? path;
}
