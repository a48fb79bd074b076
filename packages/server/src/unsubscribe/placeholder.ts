/** What stands in a body for the recipient's own unsubscribe link. Editors and templates like blanks inside the braces. */
const PLACEHOLDER = /\{\{\s*unsubscribe_url\s*\}\}/g;
/** Bodies that do not hold this need no look by the expression: nearly all of them. */
const NAME = 'unsubscribe_url';

/** Whether a body holds the place of an unsubscribe link, so that each recipient needs a copy of the message. */
export function hasUnsubscribePlaceholder(body: string | null): boolean {
  return body?.includes(NAME) === true && body.search(PLACEHOLDER) >= 0;
}

/** A body with the link in every place for it; null stays null. The link is written as given, so it has to be escaped for the body's kind. */
export function fillUnsubscribePlaceholder(body: string | null, link: string): string | null {
  return body?.includes(NAME) === true ? body.replaceAll(PLACEHOLDER, () => link) : body;
}
