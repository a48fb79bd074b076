import { LIMITS, maySee, type Template } from '@postrider/core';
import { readTemplate, type TemplateRow } from '../../db/queries/template-records.ts';
import type { Caller } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import { hashDraft } from '../../templates/draft-hash.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import { mergeVariables } from '../../templates/template-variables.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { KeyedContext } from '../context.ts';

/** A template as the API returns it. */
export function toTemplateRecord(row: TemplateRow): Template {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    subject: row.subject,
    html: row.html,
    text: row.text,
    version: row.version,
    status: row.status,
    currentVersion: row.currentVersion,
    contentHash: row.status === 'draft' ? hashDraft(row) : null,
    versions: row.versions.map(({ createdAt, publishedAt, ...version }) => ({
      ...version,
      createdAt: new Date(createdAt).toISOString(),
      publishedAt: publishedAt === null ? null : new Date(publishedAt).toISOString(),
    })),
    variables: mergeVariables(row.variables),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/**
 * A template of the caller's account by id or slug.
 * @throws ProblemError `not_found` also if the template lacks the version, or if it is another author's draft
 */
export async function readTemplateRecord(
  { services: { database }, caller }: KeyedContext,
  given: string,
  version: number | null = null,
): Promise<Template> {
  const options = { version, versionsShown: LIMITS.templateVersionsShown, draftsOf: visibleDraftsOf(caller) };
  const row = await readTemplate(database.sql, caller.accountId, toTemplateName(given), options);
  if (row === null) throw templateNotFound(given, version);
  return toTemplateRecord(row);
}

/** Whose drafts a caller sees: its own (the id of the key), or all of the account (null). */
export function visibleDraftsOf(caller: Caller): string | null {
  return maySee(viewerOf(caller), 'template.draft', null) ? null : caller.keyId;
}

export function templateNotFound(given: string, version: number | null = null): ProblemError {
  const what = version === null ? 'template' : `version ${version} of a template`;
  return new ProblemError('not_found', { detail: `There is no ${what} ${given} in this account.` });
}
