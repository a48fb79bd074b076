import type { PageRoute } from './console-page.ts';
import { OVERVIEW_PAGES } from './pages/overview-pages.ts';
import { SUPPRESSION_PAGES } from './pages/suppression-pages.ts';

/** Every page of the console. */
export const CONSOLE_PAGES: readonly PageRoute[] = [...OVERVIEW_PAGES, ...SUPPRESSION_PAGES];
