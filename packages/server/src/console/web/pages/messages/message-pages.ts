import type { PageRoute } from '../../console-page.ts';
import { showAttempts } from './message-attempts-page.ts';
import { downloadHtml, downloadText, frameBody, showFile } from './message-body-routes.ts';
import { cancel, reschedule, resend } from './message-changes.ts';
import { CONTENT_QUERY, showContent } from './message-content-page.ts';
import { showLog } from './message-log-page.ts';
import { LOG_PATH, LOG_QUERY } from './message-log-state.ts';
import { showMessage } from './message-page.ts';

const ONE = `${LOG_PATH}/:id`;

export const MESSAGE_PAGES: readonly PageRoute[] = [
  { method: 'GET', path: LOG_PATH, needs: 'emails.list', query: LOG_QUERY, run: showLog },
  { method: 'GET', path: ONE, needs: 'emails.get', query: { events: ['all'] }, run: showMessage },
  { method: 'GET', path: `${ONE}/attempts`, needs: 'emails.get', query: { show: ['all'] }, run: showAttempts },
  { method: 'GET', path: `${ONE}/content`, needs: 'emails.get', query: CONTENT_QUERY, run: showContent },
  { method: 'GET', path: `${ONE}/html`, needs: 'emails.get', run: frameBody },
  { method: 'GET', path: `${ONE}/html.txt`, needs: 'emails.get', run: downloadHtml },
  { method: 'GET', path: `${ONE}/text.txt`, needs: 'emails.get', run: downloadText },
  { method: 'GET', path: `${ONE}/files/:index`, needs: 'emails.get', run: showFile },
  { method: 'POST', path: `${ONE}/resend`, needs: 'emails.resend', run: resend },
  { method: 'POST', path: `${ONE}/cancel`, needs: 'emails.cancel', run: cancel },
  { method: 'POST', path: `${ONE}/reschedule`, needs: 'emails.reschedule', run: reschedule },
];
