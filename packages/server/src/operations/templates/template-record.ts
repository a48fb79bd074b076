import { LIMITS, type Template } from '@postrider/core';
import { readTemplate, type TemplateRow } from '../../db/queries/templates.ts';
import { ProblemError } from '../../problem.ts';
import { hashDraft } from '../../templates/draft-hash.ts';
import { toTemplateName } from '../../templates/template-reference.ts';
import { mergeVariables } from '../../templates/template-variables.ts';
import type { KeyedContext } from '../context.ts';

/** A template as the API shows it. */
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
 * @throws ProblemError `not_found`, for a version that it does not have too.
 */
export async function readTemplateRecord(
  { services, caller }: KeyedContext,
  given: string,
  version: number | null = null,
): Promise<Template> {
  const options = { version, versionsShown: LIMITS.templateVersionsShown };
  const row = await readTemplate(services.sql, caller.accountId, toTemplateName(given), options);
  if (row === null) throw templateNotFound(given, version);
  return toTemplateRecord(row);
}

export function templateNotFound(given: string, version: number | null = null): ProblemError {
  const what = version === null ? 'template' : `version ${version} of a template`;
  return new ProblemError('not_found', { detail: `There is no ${what} ${given} in this account.` });
}
