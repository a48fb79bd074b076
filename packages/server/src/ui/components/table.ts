import { attributes, type Html, type HtmlValue, html } from '../../html/page-markup.ts';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => HtmlValue;
  /** `lead` is the row's name, shown without a label on narrow screens; `number` is aligned to the right. */
  readonly kind?: 'lead' | 'number';
  /** The label is only for screen readers, for example of a column of buttons. */
  readonly isLabelUnseen?: boolean;
}

export interface Table<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** An id of each row, by which the script finds the same row again after a change. */
  readonly idOf?: (row: Row) => string;
  /** Further attributes of each row. */
  readonly rowAttributes?: (row: Row) => Readonly<Record<string, string | boolean | null>>;
}

/** A table whose rows become cards on narrow screens. */
export function table<Row>({ caption, columns, rows, idOf, rowAttributes }: Table<Row>): Html {
  const head = columns.map(
    ({ label, kind, isLabelUnseen }) =>
      html`<th scope="col"${attributes({ class: kind })}>${isLabelUnseen === true ? html`<span class="unseen">${label}</span>` : label}</th>`,
  );
  const body = rows.map((row) => {
    const cells = columns.map(
      ({ label, kind, cell }) =>
        html`<td${attributes({ class: kind, 'data-label': label })}>${wrapped(cell(row))}</td>`,
    );
    return html`<tr${attributes({ id: idOf?.(row), ...rowAttributes?.(row) })}>${cells}</tr>`;
  });
  return html`<table class="table stacked"><caption class="unseen">${caption}</caption><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

/** One element, because cells are grids on narrow screens. */
function wrapped(value: HtmlValue): Html {
  return html`<div>${value}</div>`;
}
