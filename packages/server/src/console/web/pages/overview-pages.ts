import { html } from '../../../html/page-markup.ts';
import { pageHeader } from '../../../ui/components/page-header.ts';
import { type PageRoute, page } from '../console-page.ts';

export const OVERVIEW_PAGES: readonly PageRoute[] = [
  {
    ...{ method: 'GET', path: '/console', needs: null },
    run: async () =>
      page({ title: 'Overview', section: 'overview', content: html`${pageHeader({ title: 'Overview' })}` }),
  },
];
