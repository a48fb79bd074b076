import { createHash } from 'node:crypto';
import type { TemplateSource } from './template-job.ts';

/** What an approver sees of a draft: its content, and the version that it would replace. */
export interface ShownDraft extends TemplateSource {
  readonly version: number;
  readonly currentVersion: number | null;
}

/**
 * Identifies exactly what an approver was shown. This includes the current version: once another version is published, the same draft would
 * make a different change.
 */
export function hashDraft({ version, currentVersion, subject, html, text }: ShownDraft): string {
  return createHash('sha256')
    .update(JSON.stringify([version, currentVersion, subject, html, text]))
    .digest('hex');
}
