import { createHash } from 'node:crypto';
import type { TemplateSource } from './template-job.ts';

/** What an approver is shown of a draft: its content, and the version that it would replace. */
export interface ShownDraft extends TemplateSource {
  readonly version: number;
  readonly currentVersion: number | null;
}

/**
 * Names exactly what an approver was shown. The current version belongs to it: once another version is published, the same draft would change
 * something else than what was shown.
 */
export function hashDraft({ version, currentVersion, subject, html, text }: ShownDraft): string {
  return createHash('sha256')
    .update(JSON.stringify([version, currentVersion, subject, html, text]))
    .digest('hex');
}
