import { groundOver, type Layers, NO_LAYERS, withLayers } from './backgrounds.ts';
import { applyBoxStyle, coversOthers } from './box-styles.ts';
import { BLACK, colorOfAttribute } from './colors.ts';
import { fontSizeOf, hidingElement, isUnclearElement } from './known-elements.ts';
import type { TextLook } from './look-of-text.ts';
import type { Declarations } from './style-values.ts';
import { applyFontSize, applyTextStyle, type Draft } from './text-styles.ts';

/** An element, as far as its look depends on it. */
export interface StyledElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether it is the part of a `details` element that shows while that is closed. */
  readonly isSummary: boolean;
}

export interface LookWithin {
  readonly text: TextLook;
  /** Whether the element itself can lie over other parts of the message. */
  readonly covers: boolean;
}

/** The look of an element within another one. */
export function lookWithin(outer: TextLook, element: StyledElement, style: Declarations): LookWithin {
  const draft: Draft = { ...outer, found: new Set() };
  for (const property of style.keys()) if (property.startsWith('?')) draft.found.add(property.slice(1));
  const layers = applyElement(draft, element);
  applyFontSize(draft, outer, style);
  if (element.name === 'html') draft.rootSize = draft.size;
  applyColors(draft, outer, style, layers);
  for (const [property, value] of style) applyTextStyle(draft, outer, property, value);
  const width = element.attributes.get('width')?.trim() ?? null;
  const pixels = width !== null && /^\d{1,9}$/.test(width) ? `${width}px` : width;
  applyBoxStyle(draft, style, {
    name: element.name,
    width: pixels !== null && /^\d{1,9}(?:px|%)$/.test(pixels) ? pixels : null,
  });
  const { found, ...text } = draft;
  const isNew = [...found].some((one) => !outer.unclear.includes(one));
  if (isNew) text.unclear = [...new Set([...outer.unclear, ...found])].slice(0, UNCLEAR_MAX);
  return { text, covers: coversOthers(draft, style, outer) };
}

/** Of one text. More say nothing new. */
const UNCLEAR_MAX = 20;

/** What the element and its attributes do, and its own background. */
function applyElement(draft: Draft, { name, attributes, isSummary }: StyledElement): Layers | null {
  if (attributes.has('hidden')) draft.hiddenBy ??= 'the hidden attribute';
  draft.hiddenBy ??= hidingElement(name, attributes);
  if (isUnclearElement(name, attributes)) draft.found.add(`<${/^[a-z][a-z\d]{0,20}$/.test(name) ? name : 'unknown'}>`);
  if (draft.closed === 'below') draft.closed = isSummary ? 'no' : 'inside';
  // Of several with one name, browsers open only the first.
  if (name === 'details' && draft.closed === 'no' && (!attributes.has('open') || attributes.has('name')))
    draft.closed = 'below';
  if (name === 'pre' || name === 'listing' || name === 'xmp' || name === 'nobr') draft.isOneLine = true;
  if (name === 'small' || name === 'sub' || name === 'sup') draft.size /= 1.2;
  draft.size = fontSizeOf(name, attributes) ?? draft.size;
  return applyAttributeColors(draft, name, attributes);
}

/** The background of `mark` and of buttons in browsers. */
const OWN_GROUND: ReadonlyMap<string, Layers> = new Map([
  ['mark', { ...NO_LAYERS, color: { rgb: [255, 255, 0], alpha: 1 } }],
  ['button', { ...NO_LAYERS, color: { rgb: [239, 239, 239], alpha: 1 } }],
]);

function applyAttributeColors(draft: Draft, name: string, attributes: ReadonlyMap<string, string>): Layers | null {
  const of = (attribute: string) => attributes.get(attribute);
  let layers: Layers | null = OWN_GROUND.get(name) ?? NO_LAYERS;
  if (layers !== NO_LAYERS) draft.color = BLACK;
  if (name === 'a' && attributes.has('href')) draft.color = draft.linkColor;
  const [color, link] = [of('color') ?? of('text'), of('link')];
  if (color !== undefined) draft.color = colorOfAttribute(color);
  if (link !== undefined && name === 'body') draft.linkColor = colorOfAttribute(link);
  const ground = of('bgcolor');
  if (ground !== undefined && ground.trim() !== '')
    layers = withLayers(layers, 'background-color', attributeColor(ground));
  if ((of('background') ?? '').trim() !== '' && layers !== null) layers = { ...layers, hasPicture: true };
  return layers;
}

/** As in styles. */
function attributeColor(value: string): string {
  const color = value.trim().toLowerCase();
  return /^[0-9a-f]{6}$/.test(color) ? `#${color}` : color;
}

function applyColors(draft: Draft, outer: TextLook, style: Declarations, own: Layers | null): void {
  let layers = own;
  for (const [property, value] of style)
    if (property.startsWith('background')) layers = withLayers(layers, property, value);
  draft.ground = layers === null ? null : groundOver(outer.ground, layers);
}
