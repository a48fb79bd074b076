/** Response headers of the web pages that users open. */
export const PAGE_RESPONSE_HEADERS = {
  'content-security-policy': 'What the page may load and where its forms may be sent.',
  'referrer-policy': 'How much of its address the page sends to other pages.',
  'x-robots-tag': '`noindex`: search engines must not index the page.',
} as const;
