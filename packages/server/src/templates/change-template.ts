import type { Sql, Transaction } from '../db/client.ts';
import { isUniqueViolation } from '../db/database-errors.ts';
import {
  insertTemplate,
  insertTemplateVersion,
  lockTemplate,
  readTemplateVersion,
  type TemplateContent,
  type TemplateName,
  updateTemplate,
  type VariablesJson,
} from '../db/queries/templates.ts';
import { TEMPLATE_PARTS } from './template-job.ts';

/** Who makes a version, and when. */
export interface VersionMaker {
  readonly accountId: string;
  readonly createdBy: string;
  readonly now: Date;
}

export interface FirstVersion extends TemplateContent {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly variables: VariablesJson;
  readonly note: string | null;
}

/** Stores a template as its version 1; false where the account has one of that slug. */
export async function storeTemplate(sql: Sql, maker: VersionMaker, template: FirstVersion): Promise<boolean> {
  return await sql.begin(async (transaction) => {
    const isNew = await insertTemplate(transaction, { ...maker, ...template });
    if (isNew) await insertTemplateVersion(transaction, { ...maker, ...template, templateId: template.id, version: 1 });
    return isNew;
  });
}

export interface TemplateEdit {
  /** Null: as they are. */
  readonly slug: string | null;
  readonly name: string | null;
  /** Parts that are left out stay as they are; the variables are those of the parts given. */
  readonly content: Partial<TemplateContent>;
  readonly variables: VariablesJson;
  readonly rollbackTo: number | null;
  readonly note: string | null;
}

export type EditVerdict =
  /** `version`: the one it made, or the one that stayed the current one. */
  | { readonly kind: 'changed'; readonly id: string; readonly version: number }
  | { readonly kind: 'not_found' | 'version_not_found' | 'without_body' | 'slug_taken' };

/**
 * Changes a template. The template is locked while its new version is made of the current one, so that of changes at the same time each
 * builds on the one before, under a number of its own.
 */
export async function changeTemplate(
  sql: Sql,
  maker: VersionMaker,
  name: TemplateName,
  edit: TemplateEdit,
): Promise<EditVerdict> {
  try {
    return await sql.begin((transaction) => changeLocked(transaction, maker, name, edit));
  } catch (error) {
    // The only unique name that a change can meet.
    if (edit.slug !== null && isUniqueViolation(error)) return { kind: 'slug_taken' };
    throw error;
  }
}

async function changeLocked(
  transaction: Transaction,
  maker: VersionMaker,
  name: TemplateName,
  edit: TemplateEdit,
): Promise<EditVerdict> {
  const { accountId, now } = maker;
  const template = await lockTemplate(transaction, accountId, name);
  if (template === null) return { kind: 'not_found' };
  const { id, currentVersion } = template;
  const makesVersion = edit.rollbackTo !== null || Object.keys(edit.content).length > 0;
  const version = makesVersion ? currentVersion + 1 : currentVersion;
  if (makesVersion) {
    const base = await readTemplateVersion(transaction, accountId, id, edit.rollbackTo ?? currentVersion);
    if (base === null) return { kind: 'version_not_found' };
    const next = { ...pickContent(base), ...edit.content };
    if (!next.html && !next.text) return { kind: 'without_body' };
    const variables = mergeParts(base.variables, edit);
    const { note } = edit;
    await insertTemplateVersion(transaction, { ...maker, ...next, templateId: id, version, variables, note });
  }
  await updateTemplate(transaction, accountId, id, { slug: edit.slug, name: edit.name, currentVersion: version, now });
  return { kind: 'changed', id, version };
}

function pickContent({ subject, html, text }: TemplateContent): TemplateContent {
  return { subject, html, text };
}

/** Of parts that changed the variables that were found in them now, of the others those that were. */
function mergeParts(before: VariablesJson, { content, variables }: TemplateEdit): VariablesJson {
  return Object.fromEntries(
    TEMPLATE_PARTS.flatMap((part) => {
      const found = content[part] === undefined ? before[part] : variables[part];
      return found === undefined ? [] : [[part, found]];
    }),
  );
}
