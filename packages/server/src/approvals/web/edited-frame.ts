import { attributes, type Html, html } from '../../html/page-markup.ts';
import { button } from '../../ui/components/button.ts';

const FRAME = 'edited-message';

/**
 * The edited HTML as it would be displayed, in a frame that runs nothing. The form is sent into it by a button, which the script presses on
 * pages where the content is final.
 * @param src what the frame shows before that
 */
export function editedFrame(
  base: string,
  { src = null, isFinal = false }: { readonly src?: string | null; readonly isFinal?: boolean },
): Html {
  const given = { class: 'mail-frame', name: FRAME, title: 'The edited message as its recipients see it', src };
  const show = button(isFinal ? 'Show how it will look' : 'Show what you typed', {
    ...{ isSmall: true, name: 'step', value: 'compare', formAction: `${base}/edit/html`, formTarget: FRAME },
    ...{ isUnchecked: true, fillsFrame: isFinal },
  });
  return html`<div class="stack-tight"><div class="row">${show}</div><iframe sandbox referrerpolicy="no-referrer"${attributes(given)}></iframe></div>`;
}
