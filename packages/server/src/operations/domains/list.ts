import type { Handler } from '../context.ts';
import { domainPage } from './domain-page.ts';

export const listDomains: Handler<'domains.list'> = async ({ query }, context) => ({
  body: await domainPage(context, query, false),
});
