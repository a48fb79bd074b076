import { createHash } from 'node:crypto';
import { type Postrider, PostriderError } from '@postrider/sdk';
import { z } from 'zod';

/** What the model fills in. The sender is yours, and the key limits the rest. */
export const emailSchema = z.object({ to: z.string(), subject: z.string(), text: z.string() });
export type Email = z.infer<typeof emailSchema>;

export const DESCRIPTION =
  'Sends an email, once. Returns its outcome: `delivered`, or `rejected` with the code and the note of an approver. Do not send a rejected email again.';

/** A send that was accepted, or the reason why it was refused. As data, so that it can be stored with the run. */
export type Sent = { readonly emailId: string } | { readonly refused: string };

/**
 * Sends an email of a run. The same email of the same run is sent once, even if the run is started again after a crash. The metadata names the
 * run, so that a decision leads back to it.
 */
export async function send(postrider: Postrider, runId: string, email: Email): Promise<Sent> {
  const content = createHash('sha256').update(JSON.stringify([email.to, email.subject, email.text]));
  try {
    const { id } = await postrider.emails.send(
      { ...email, from: 'Assistant <assistant@sandbox.test>', metadata: { run: runId } },
      { idempotencyKey: `${runId}-${content.digest('hex')}` },
    );
    return { emailId: id };
  } catch (error) {
    if (!(error instanceof PostriderError) || error.retryable) throw error;
    return { refused: `${error.code}: ${error.detail} Fix: ${error.fix}` };
  }
}

/** What the model reads about a send; null while an approver has not decided. It comes from Postrider, and not from whatever woke the run. */
export async function outcomeOf(postrider: Postrider, sent: Sent): Promise<Record<string, unknown> | null> {
  if ('refused' in sent) return { status: 'refused', error: sent.refused };
  if ((await postrider.emails.get(sent.emailId)).status === 'pending_approval') return null;
  const { id, status, approval } = await postrider.emails.get(sent.emailId, { wait: 30 });
  if (approval === null) return { id, status };
  // `lastError` is left out: it can quote a mail server, and a model may follow what it reads.
  const { status: decision, rejectCode, note, edited } = approval;
  return { id, status, decision, rejectCode, note, edited };
}
