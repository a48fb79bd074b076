import { tagUrl, toUtmTags } from '../../links/utm-tags.ts';
import type { Handler } from '../context.ts';

/** The campaign builder: tags one link in the same way as the links of a send. */
export const tagLink: Handler<'tools.utm'> = async ({ body: { url, ...utm } }) => {
  const tagged = tagUrl(url, toUtmTags(utm));
  return { body: { ok: true, original: url, tagged, params: paramsOf(tagged) } };
};

/** The UTM parameters of the result, which keeps those that the link already has. */
function paramsOf(tagged: string) {
  const { searchParams } = new URL(tagged); // The schema accepts only URLs that parse.
  const read = (name: string) => {
    const value = searchParams.get(name);
    return value === null ? {} : { [name]: value };
  };
  return {
    utm_source: searchParams.get('utm_source') ?? '',
    utm_medium: searchParams.get('utm_medium') ?? '',
    utm_campaign: searchParams.get('utm_campaign') ?? '',
    ...read('utm_term'),
    ...read('utm_content'),
  };
}
