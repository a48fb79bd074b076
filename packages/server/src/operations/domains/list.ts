import type { Handler } from '../context.ts';
import { domainPage } from './domain-page.ts';

/** One page of the domains of the account. */
export const listDomains: Handler<'domains.list'> = async ({ query }, context) => ({
  body: await domainPage(context, query, false),
});
