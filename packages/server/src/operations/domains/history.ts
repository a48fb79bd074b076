import type { Handler } from '../context.ts';
import { domainPage } from './domain-page.ts';

/** One page of the domains that were removed. */
export const listRemovedDomains: Handler<'domains.history'> = async ({ query }, context) => ({
  body: await domainPage(context, query, true),
});
