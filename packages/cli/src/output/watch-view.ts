import type { CliIo } from '../cli-io.ts';
import { type JsonRecord, recordsOf, textOf } from './json-value.ts';
import { createLiveBlock } from './live-block.ts';
import type { Output } from './output.ts';
import { cutToWidth } from './text-width.ts';
import { formatTime } from './time.ts';
import { singleLine } from './untrusted-text.ts';
import { recordTable } from './views/domain.ts';

export interface NextCheck {
  /** Why the last check failed; null if it did not. */
  readonly error: string | null;
  readonly seconds: number;
}

/** The progress of a domain watch, on stderr. */
export interface WatchView {
  show(domain: JsonRecord | null, next: NextCheck): void;
  end(): void;
}

/** A table that is redrawn on a terminal; elsewhere one line per change. */
export function createWatchView(io: CliIo, output: Output): WatchView {
  const isLive = io.stderr.isTTY === true && !output.isQuiet && !output.isJson;
  return isLive ? liveView(io, output) : plainView(output);
}

function liveView({ stderr }: CliIo, { paint }: Output): WatchView {
  const block = createLiveBlock(stderr);
  return {
    show: (domain, { error, seconds }) => {
      // One column stays free, because some terminals wrap a line that fills the last one.
      const columns = (stderr.columns || 80) - 1;
      const head = domain === null ? 'Checking …' : `${textOf(domain['name'])}: ${textOf(domain['status'])}`;
      const footer = `${error === null ? '' : `${error} `}Next check in ${seconds} s. Ctrl-C stops only this watch.`;
      block.draw(
        [
          `${paint.title(cutToWidth(singleLine(head), columns))}\n\n`,
          domain === null ? '' : `${recordTable(recordsOf(domain['records']), columns, paint)}\n`,
          ...recordsOf(domain?.['records']).flatMap((record) => reasonLine(record, columns)),
          `\n${paint.faint(cutToWidth(singleLine(footer), columns))}\n`,
        ].join(''),
      );
    },
    end: () => block.clear(),
  };
}

function reasonLine({ purpose, status, reason }: JsonRecord, columns: number): readonly string[] {
  if (status === 'pass' || textOf(reason) === '') return [];
  return [`${cutToWidth(singleLine(`${textOf(purpose)}: ${textOf(reason)}`), columns)}\n`];
}

function plainView(output: Output): WatchView {
  const reported = new Map<string, string>();
  const report = (name: string, words: string) => {
    if (reported.get(name) === words) return;
    reported.set(name, words);
    output.remark(`${formatTime(new Date().toISOString())} ${name} ${words}`);
  };
  return {
    show: (domain, { error }) => {
      if (error !== null) report('no response', error);
      if (domain === null) return;
      for (const { type, host, status, reason } of recordsOf(domain['records'])) {
        report(`${textOf(type)} ${textOf(host)}`, [textOf(status), textOf(reason)].filter(Boolean).join(': '));
      }
      report(textOf(domain['name']), textOf(domain['status']));
    },
    end: () => {},
  };
}
