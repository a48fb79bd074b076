import { deleteTemplate as remove } from '../../db/queries/templates.ts';
import type { Handler } from '../context.ts';
import { readTemplateRecord, templateNotFound } from './template-record.ts';

/** Removes a template with its versions and returns its last state. */
export const deleteTemplate: Handler<'templates.delete'> = async ({ params }, context) => {
  const { caller } = context;
  const { database } = context.services;
  const record = await readTemplateRecord(context, params.id);
  const isGone = await remove(database.sql, caller.accountId, record.id);
  if (!isGone) throw templateNotFound(params.id);
  return { body: record };
};
