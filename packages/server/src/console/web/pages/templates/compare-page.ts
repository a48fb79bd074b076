import { html } from '../../../../html/page-markup.ts';
import { linkButton } from '../../../../ui/components/button.ts';
import { pageHeader } from '../../../../ui/components/page-header.ts';
import { card } from '../../../../ui/components/surfaces.ts';
import { type PageResult, page } from '../../console-page.ts';
import { withQuery } from '../../page-address.ts';
import type { PageRequest } from '../../page-request.ts';
import { TEMPLATES_PATH, templatePath, versionPath } from './paths.ts';
import { comparison } from './version-comparison.ts';

/** What one version changed in another. */
export async function comparePage(request: PageRequest): Promise<PageResult> {
  const params = { id: request.param('id') };
  const read = (name: string) =>
    request.call('templates.get', { params, query: { version: request.query.text(name) ?? '' } });
  const [from, to] = await Promise.all([read('from'), read('to')]);
  const title = `From version ${from.version} to version ${to.version}`;
  const path = templatePath(to);
  const swap = withQuery(`${path}/compare`, { from: String(to.version), to: String(from.version) });
  return page({
    ...{ title, section: 'templates' },
    content: html`${pageHeader({
      title,
      lead: 'Removed lines are marked with −, added ones with +.',
      crumbs: [
        { label: 'Templates', href: TEMPLATES_PATH },
        { label: to.name, href: path },
      ],
      actions: html`${linkButton('Swap', swap, { kind: 'plain' })}${linkButton(`Version ${from.version}`, versionPath(to, from.version))}${linkButton(`Version ${to.version}`, versionPath(to, to.version))}`,
    })}${card('Differences', await comparison(request, from, to))}`,
  });
}
