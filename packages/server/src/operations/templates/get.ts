import type { Handler } from '../context.ts';
import { readTemplateRecord } from './template-record.ts';

/** One template, in its current version or in the requested one. */
export const getTemplate: Handler<'templates.get'> = async ({ params, query }, context) => ({
  body: await readTemplateRecord(context, params.id, query.version ?? null),
});
