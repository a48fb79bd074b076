import { decodeAttribute } from '@postrider/review';

/** The source of what is shown instead of a picture, by the attributes of the picture as they are written. */
export type PlaceholderOf = (attributes: ReadonlyMap<string, string>) => string;

/** Each placeholder is some hundred characters: a message of nothing but pictures must not become many times as long. */
const LABELED_MAX = 200;
const LABEL_CHARACTERS = 80;
/** No picture: browsers show the alternative text beside a symbol for a picture that is broken. */
const BROKEN = 'data:,';

/** For one message. A labeled box shows that there is a picture and what it is, where a broken one looks like a fault of the sender. */
export function createPlaceholders(): PlaceholderOf {
  let count = 0;
  return (attributes) => {
    count += 1;
    if (count > LABELED_MAX) return BROKEN;
    const isSized = ['width', 'height'].some((name) => attributes.has(name));
    return placeholder(decodeAttribute(attributes.get('alt') ?? '').trim(), isSized);
  };
}

/** Without a size of its own, its text is not stretched with the picture. */
function placeholder(alt: string, isSized: boolean): string {
  const label = alt === '' ? 'Picture' : `Picture: ${[...alt].slice(0, LABEL_CHARACTERS).join('')}`;
  const text = label
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');
  const svg = `<svg xmlns='http://www.w3.org/2000/svg'${isSized ? '' : " width='200' height='48'"}><rect width='100%' height='100%' fill='#eceef2'/><text x='50%' y='50%' dy='4' text-anchor='middle' font-family='sans-serif' font-size='12' fill='#4a4d57'>${text}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
