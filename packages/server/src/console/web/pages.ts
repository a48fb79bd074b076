import type { PageRoute } from './console-page.ts';
import { APPROVAL_PAGES } from './pages/approval-pages.ts';
import { AUDIT_PAGES } from './pages/audit-pages.ts';
import { DOMAIN_PAGES } from './pages/domain-pages.ts';
import { KEY_PAGES } from './pages/key-pages.ts';
import { MESSAGE_PAGES } from './pages/messages/message-pages.ts';
import { OVERVIEW_PAGES } from './pages/overview-pages.ts';
import { PROGRAM_PAGES } from './pages/program-pages.ts';
import { REQUEST_PAGES } from './pages/request-pages.ts';
import { SEND_PAGES } from './pages/send-pages.ts';
import { SETTINGS_PAGES } from './pages/settings-pages.ts';
import { SUPPRESSION_PAGES } from './pages/suppression-pages.ts';
import { TEAM_PAGES } from './pages/team-pages.ts';
import { TEMPLATE_PAGES } from './pages/templates/template-pages.ts';
import { TICKET_PAGES } from './pages/ticket-pages.ts';
import { WEBHOOK_PAGES } from './pages/webhooks/webhook-pages.ts';

/** Every page of the console. */
export const CONSOLE_PAGES: readonly PageRoute[] = [
  ...OVERVIEW_PAGES,
  ...MESSAGE_PAGES,
  ...APPROVAL_PAGES,
  ...DOMAIN_PAGES,
  ...SEND_PAGES,
  ...TEMPLATE_PAGES,
  ...SUPPRESSION_PAGES,
  ...WEBHOOK_PAGES,
  ...KEY_PAGES,
  ...TEAM_PAGES,
  ...AUDIT_PAGES,
  ...REQUEST_PAGES,
  ...TICKET_PAGES,
  ...SETTINGS_PAGES,
  ...PROGRAM_PAGES,
];
