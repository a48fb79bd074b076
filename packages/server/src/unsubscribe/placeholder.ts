/** The placeholder in a body for the recipient's own unsubscribe link. Editors and templates may add spaces inside the braces. */
const PLACEHOLDER = /\{\{\s*unsubscribe_url\s*\}\}/g;
/** Bodies without this string, which are nearly all, skip the regular expression. */
const OPENING = '{{';

/** Whether a body contains an unsubscribe placeholder, so that each recipient needs a separate copy of the message. */
export function hasUnsubscribePlaceholder(body: string | null): boolean {
  return body?.includes(OPENING) === true && body.search(PLACEHOLDER) >= 0;
}

/**
 * The body with each placeholder replaced by the link; null stays null. The link is inserted as is, so the caller must
 * escape it for the body's type.
 */
export function fillUnsubscribePlaceholder(body: string | null, link: string): string | null {
  return body?.includes(OPENING) === true ? body.replaceAll(PLACEHOLDER, () => link) : body;
}
