/** What `?` shows. */
export const HELP_LINES: readonly string[] = [
  'In the list',
  '  up/down or k/j   move            space   select',
  '  enter            open            *       select all or none',
  '  /                filter by words in subject, addresses, agent, key, reason',
  '  esc              clear the selection, then the filter',
  'In the list and in the preview',
  '  a   approve what is open or selected; asked again before it goes',
  '  e   change it in your editor ($VISUAL, $EDITOR); shown before it goes',
  '  r   reject, with a code and a note',
  '  R   remember: an approval trusts its recipients for this key',
  '  ?   this page                    q       quit',
  'In the preview',
  '  up/down, space   scroll          n/p     next, previous',
  '  esc              back to the list',
  'A ! marks a link that goes elsewhere than it says. Every blind copy is shown.',
  'A decision counts for what you saw: had it changed, you are asked again.',
];
