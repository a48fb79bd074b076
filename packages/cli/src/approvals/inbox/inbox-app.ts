import { Box, type Key, Text, useApp, useInput, usePaste, useWindowSize } from 'ink';
import { createElement, type ReactElement, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { hasDanger, rememberDanger } from '../danger.ts';
import type { ShownLine, Tone } from '../shown-line.ts';
import type { Inbox } from './create-inbox.ts';
import { type ContentReader, drawInbox, readContentOf } from './draw-inbox.ts';
import type { Waiting } from './inbox-state.ts';
import type { Press } from './press-key.ts';

export interface InboxAppProps {
  readonly inbox: Inbox;
  readonly hasColor: boolean;
  readonly isSpoken: boolean;
  /** Receives the function that hands the terminal to another program temporarily. */
  readonly onReady: (suspend: (run: () => Promise<void>) => Promise<void>) => void;
  readonly onInterrupt: () => void;
  /** Unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** The intervals of refreshing the list and of redrawing the remaining time. */
const REFRESH_MS = 3_000;
const TICK_MS = 1_000;
/** A screen reader reads every change, so a clock with seconds would never be silent. */
const SPOKEN_TICK_MS = 60_000;

/** The inbox on the terminal: draws its state and passes keys to it. */
export function InboxApp(props: InboxAppProps): ReactElement {
  const { inbox, hasColor, isSpoken, onReady, onInterrupt, onError } = props;
  const state = useSyncExternalStore(inbox.subscribe, inbox.getState);
  const { columns, rows } = useWindowSize();
  const { suspendTerminal } = useApp();
  const now = useNow(isSpoken ? SPOKEN_TICK_MS : TICK_MS);
  // Some terminals scroll if the last row is full, so one row stays free.
  const [readContent] = useState(() => rememberLast(readContentOf));
  const [isDangerous] = useState(() => rememberDanger(hasDanger));
  const size = { columns, rows: rows - 1 };
  const { lines, pageRows, scrollMax } = drawInbox(state, size, now, readContent, isDangerous);
  useLayoutEffect(() => inbox.measure({ pageRows, scrollMax }), [inbox, pageRows, scrollMax]);
  useEffect(() => onReady((run) => suspendTerminal(run)), [onReady, suspendTerminal]);
  useEffect(() => refreshRegularly(inbox, onError), [inbox, onError]);
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onInterrupt();
    else for (const press of pressesOf(input, key)) inbox.press(press).catch(onError);
  });
  usePaste((text) => void inbox.press({ name: 'paste', text }).catch(onError));
  const shown = isSpoken ? lines.filter(({ text }) => text.trim() !== '') : lines;
  return createElement(Box, { flexDirection: 'column' }, ...shown.map((line) => lineElement(line, hasColor)));
}

/** Caches the content of the last item between redraws. */
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

/** The next refresh starts after the previous one has ended, so that a slow server is not overloaded. */
function refreshRegularly(inbox: Inbox, onError: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const refresh = async () => {
    await inbox.refresh();
    if (!isOver) timer = setTimeout(() => void refresh().catch(onError), REFRESH_MS);
  };
  timer = setTimeout(() => void refresh().catch(onError), REFRESH_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function lineElement({ text, tone, spoken }: ShownLine, hasColor: boolean): ReactElement {
  const style = hasColor && tone !== undefined ? STYLES[tone] : {};
  // An empty line has no height of its own.
  const label = spoken === undefined ? {} : { 'aria-label': spoken };
  return createElement(Text, { wrap: 'truncate', ...style, ...label }, text === '' ? ' ' : text);
}

const STYLES: Readonly<Record<Tone, object>> = {
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

/** More characters in one input than a user types between two reads. */
const TYPED_AT_ONCE_MAX = 3;

/**
 * Converts terminal input to keys. A few characters at once are fast typing. More are a paste from a terminal without bracketed paste: it fills
 * a field and presses no key, since pasted text must not decide.
 */
function pressesOf(input: string, key: Key): readonly Press[] {
  const named = NAMED.find(([flag]) => key[flag] === true);
  if (named !== undefined) return [{ name: named[1], text: '' }];
  if (key.ctrl || key.meta || input === '') return [];
  const characters = [...input];
  if (characters.length > TYPED_AT_ONCE_MAX) return [{ name: 'paste', text: input }];
  return characters.map((text) => ({ name: WRITTEN[text] ?? text, text: text < ' ' ? '' : text }));
}

/** Keys that arrive as characters if several arrive at once. */
const WRITTEN: Readonly<Record<string, string>> = { ' ': 'space', '\r': 'enter', '\n': 'enter', '\u007f': 'backspace' };
