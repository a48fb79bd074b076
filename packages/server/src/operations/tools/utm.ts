import { tagUrl, toUtmTags } from '../../links/utm-tags.ts';
import type { Handler } from '../context.ts';

/** The campaign builder: tags one link in the same way as the links of a send. */
export const tagLink: Handler<'tools.utm'> = async ({ body: { url, ...utm } }) => {
  const { source, medium, campaign, term, content } = utm;
  return {
    body: {
      ok: true,
      original: url,
      tagged: tagUrl(url, toUtmTags(utm)),
      params: {
        utm_source: source,
        utm_medium: medium,
        utm_campaign: campaign,
        ...(term === undefined ? {} : { utm_term: term }),
        ...(content === undefined ? {} : { utm_content: content }),
      },
    },
  };
};
