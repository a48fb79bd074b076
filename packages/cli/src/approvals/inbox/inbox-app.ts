import { Box, type Key, Text, useApp, useInput, usePaste, useWindowSize } from 'ink';
import { createElement, type ReactElement, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import type { ShownLine, Tone } from '../shown-line.ts';
import type { Inbox } from './create-inbox.ts';
import { type ContentReader, drawInbox, readContentOf } from './draw-inbox.ts';
import type { Waiting } from './inbox-state.ts';
import type { Press } from './press-key.ts';

export interface InboxAppProps {
  readonly inbox: Inbox;
  readonly hasColor: boolean;
  readonly isSpoken: boolean;
  /** Told how to leave the terminal to another program for a while. */
  readonly onReady: (suspend: (run: () => Promise<void>) => Promise<void>) => void;
  readonly onInterrupt: () => void;
  /** What nobody foresaw. */
  readonly onError: (error: unknown) => void;
}

/** How often the list is looked at, and how often the time that is left is drawn anew. */
const LOOK_MS = 3_000;
const TICK_MS = 1_000;
/** A screen reader reads what changes: a clock would talk all the time. */
const SPOKEN_TICK_MS = 60_000;

/** The inbox on the terminal: draws its state and hands it the keys. */
export function InboxApp(props: InboxAppProps): ReactElement {
  const { inbox, hasColor, isSpoken, onReady, onInterrupt, onError } = props;
  const state = useSyncExternalStore(inbox.subscribe, inbox.getState);
  const { columns, rows } = useWindowSize();
  const { suspendTerminal } = useApp();
  const now = useNow(isSpoken ? SPOKEN_TICK_MS : TICK_MS);
  // A last line that is full makes some terminals scroll.
  const [readContent] = useState(() => rememberLast(readContentOf));
  const { lines, pageRows, scrollMax } = drawInbox(state, { columns, rows: rows - 1 }, now, readContent);
  useLayoutEffect(() => inbox.measure({ pageRows, scrollMax }), [inbox, pageRows, scrollMax]);
  useEffect(() => onReady((run) => suspendTerminal(run)), [onReady, suspendTerminal]);
  useEffect(() => lookRegularly(inbox, onError), [inbox, onError]);
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onInterrupt();
    else for (const press of pressesOf(input, key)) inbox.press(press).catch(onError);
  });
  usePaste((text) => void inbox.press({ name: 'paste', text }).catch(onError));
  const shown = isSpoken ? lines.filter(({ text }) => text.trim() !== '') : lines;
  return createElement(Box, { flexDirection: 'column' }, ...shown.map((line) => lineElement(line, hasColor)));
}

/** Reads a mail or a draft once for all the times that it is drawn. */
function rememberLast(read: ContentReader): ContentReader {
  let last: { readonly item: Waiting; readonly columns: number; readonly lines: readonly ShownLine[] } | null = null;
  return (item, columns) => {
    if (last?.item !== item || last.columns !== columns) last = { item, columns, lines: read(item, columns) };
    return last.lines;
  };
}

function useNow(everyMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** The next look begins when the one before is over, so that a slow server is not asked all the more. */
function lookRegularly(inbox: Inbox, onError: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async () => {
    await inbox.refresh();
    if (!isOver) timer = setTimeout(() => void look().catch(onError), LOOK_MS);
  };
  timer = setTimeout(() => void look().catch(onError), LOOK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function lineElement({ text, tone, spoken }: ShownLine, hasColor: boolean): ReactElement {
  const look = hasColor && tone !== undefined ? LOOKS[tone] : {};
  // An empty line has no height of its own.
  const label = spoken === undefined ? {} : { 'aria-label': spoken };
  return createElement(Text, { wrap: 'truncate', ...look, ...label }, text === '' ? ' ' : text);
}

const LOOKS: Readonly<Record<Tone, object>> = {
  title: { bold: true },
  faint: { dimColor: true },
  bad: { color: 'red' },
  good: { color: 'green' },
  current: { inverse: true },
};

const NAMED: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
];

/** More at once than anybody types while the program looks away. */
const TYPED_AT_ONCE_MAX = 3;

/**
 * What came from the terminal as keys. A few characters at once are somebody who types fast. More are a paste of a terminal that does not mark
 * what is pasted: it writes into a field and presses nothing, since no pasted text may decide.
 */
function pressesOf(input: string, key: Key): readonly Press[] {
  const named = NAMED.find(([flag]) => key[flag] === true);
  if (named !== undefined) return [{ name: named[1], text: '' }];
  if (key.ctrl || key.meta || input === '') return [];
  const characters = [...input];
  if (characters.length > TYPED_AT_ONCE_MAX) return [{ name: 'paste', text: input }];
  return characters.map((text) => ({ name: WRITTEN[text] ?? text, text: text < ' ' ? '' : text }));
}

/** Keys that come as a character, where several came at once. */
const WRITTEN: Readonly<Record<string, string>> = { ' ': 'space', '\r': 'enter', '\n': 'enter', '\u007f': 'backspace' };
