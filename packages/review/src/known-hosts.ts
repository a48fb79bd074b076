/** Services that are imitated most often. Mail that leads to them is ordinary. */
export const WELL_KNOWN = (
  'google.com gmail.com youtube.com microsoft.com microsoftonline.com office.com outlook.com live.com apple.com icloud.com amazon.com ' +
  'paypal.com stripe.com facebook.com instagram.com whatsapp.com linkedin.com twitter.com netflix.com dropbox.com docusign.com ' +
  'docusign.net adobe.com github.com gitlab.com slack.com zoom.us salesforce.com shopify.com ebay.com dhl.com fedex.com ups.com usps.com ' +
  'coinbase.com binance.com wellsfargo.com chase.com bankofamerica.com citibank.com americanexpress.com visa.com mastercard.com hsbc.com ' +
  'barclays.co.uk revolut.com wise.com intuit.com xero.com godaddy.com cloudflare.com okta.com atlassian.com notion.so steampowered.com ' +
  'irs.gov yahoo.com spotify.com airbnb.com booking.com'
).split(' ');

/** First labels that are ordinary words, so a name that contains one imitates no one. */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  (
    'office live chase slack zoom wise visa booking notion outlook mail email app apps shop store news info web sandbox example localhost test ' +
    'support service help team blog docs cloud online'
  ).split(' '),
);

const SECOND_LEVEL = new Set('co com org net gov ac edu or ne go'.split(' '));

/** The part of a host name that is registered, roughly: without the public suffix list, whose size would exceed that of this package. */
export function registeredPart(host: string): string {
  const labels = host.split('.');
  const [ending = '', second = ''] = labels.toReversed();
  return labels.slice(ending.length === 2 && SECOND_LEVEL.has(second) ? -3 : -2).join('.');
}

/** `acme` of `acme.example`. */
export function firstLabel(registered: string): string {
  return registered.split('.')[0] ?? '';
}
