import { appendAudit } from '../../db/queries/audit-log.ts';
import { deleteTemplate as remove } from '../../db/queries/templates.ts';
import type { Handler } from '../context.ts';
import { readTemplateRecord, templateNotFound } from './template-record.ts';

/** Removes a template with its versions and returns its last state. */
export const deleteTemplate: Handler<'templates.delete'> = async ({ params }, context) => {
  const { accountId, keyId: actor } = context.caller;
  const { database } = context.services;
  const record = await readTemplateRecord(context, params.id);
  const { id: targetId, slug, name } = record;
  const now = database.clock.now();
  const isGone = await database.sql.begin(async (transaction) => {
    if (!(await remove(transaction, accountId, targetId))) return false;
    const entry = { accountId, id: database.ids.next(now), actor, targetId, details: { slug, name }, now };
    await appendAudit(transaction, [{ ...entry, action: 'template.deleted' }]);
    return true;
  });
  if (!isGone) throw templateNotFound(params.id);
  return { body: record };
};
