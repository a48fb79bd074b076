import { LIMITS } from '@postrider/core';
import type { PageResult, PageRoute } from '../console-page.ts';
import type { PageRequest } from '../page-request.ts';
import { refusedForRole } from '../role-refusal.ts';
import { decideMany } from './approvals/decide-many.ts';
import { decideHold } from './approvals/decide-page.ts';
import { decideDraft, showDraft } from './approvals/draft-pages.ts';
import { edit, showEdit } from './approvals/edit-pages.ts';
import { showEditedHtml, showFile, showHtml, showReceipt, showText } from './approvals/held-parts.ts';
import { showHold } from './approvals/hold-page.ts';
import { INBOX_QUERY, showInbox } from './approvals/inbox-page.ts';
import { APPROVALS } from './approvals/paths.ts';

const ONE = `${APPROVALS}/:id`;
const DRAFT = `${APPROVALS}/drafts/:template/:version`;
/** Whether pictures from other servers are loaded. */
const PICTURES = { pictures: ['1'] };
/** Whether it is the text in the HTML. */
const TEXT = { of: ['html'] };

/** What agents want to send: the inbox, one message, and the decisions. */
export const APPROVAL_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: APPROVALS, needs: 'approvals.list', query: INBOX_QUERY, run: showInbox },
  { method: 'POST', path: APPROVALS, needs: 'approvals.decide', run: decideMany },
  { method: 'GET', path: ONE, needs: 'approvals.get', query: PICTURES, run: forReaders(showHold) },
  { method: 'POST', path: ONE, needs: 'approvals.decide', run: decideHold },
  { method: 'GET', path: `${ONE}/html`, needs: 'approvals.get', query: PICTURES, run: forReaders(showHtml) },
  { method: 'GET', path: `${ONE}/text`, needs: 'approvals.get', query: TEXT, run: forReaders(showText) },
  { method: 'GET', path: `${ONE}/files/:index`, needs: 'approvals.get', run: forReaders(showFile) },
  { method: 'GET', path: `${ONE}/receipt`, needs: 'approvals.get', run: forReaders(showReceipt) },
  { method: 'GET', path: `${ONE}/edit`, needs: 'approvals.decide', run: showEdit },
  {
    ...{ method: 'POST', path: `${ONE}/edit`, needs: 'approvals.decide' },
    ...{ formBytes: LIMITS.decisionBodyBytes, run: edit },
  },
  {
    ...{ method: 'POST', path: `${ONE}/edit/html`, needs: 'approvals.decide' },
    ...{ formBytes: LIMITS.decisionBodyBytes, isRead: true, run: showEditedHtml },
  },
  { method: 'GET', path: DRAFT, needs: 'templates.drafts', run: showDraft },
  { method: 'POST', path: DRAFT, needs: 'templates.discard', run: decideDraft },
];

/** The operation lets keys read the holds of their own sends, and finds nothing for a role without approvals. The page says what is missing. */
function forReaders<Result extends PageResult>(run: (request: PageRequest) => Promise<Result>) {
  return async (request: PageRequest): Promise<Result> => {
    if (!request.caller.scopes.includes('approvals:read')) throw refusedForRole(request);
    return await run(request);
  };
}
