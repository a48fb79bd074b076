const ROWS = `{% for item in items %}
<tr><td>{{ item.name }}</td><td>{{ item.quantity }}</td><td>{{ item.price | times: item.quantity | divided_by: 100.0 }}</td></tr>{% endfor %}`;
const PARAGRAPH =
  '<p style="font:16px/24px sans-serif;color:#333">Your order {{ order.number }} is on its way to {{ address.street }}, {{ address.city }}.</p>';

/** A transactional message of usual size: a list, some conditions, some filters. */
export const RECEIPT = {
  subject: 'Your order {{ order.number }}, {{ user.name | capitalize }}',
  html: `<!doctype html><html><body><h1>Hello {{ user.name | capitalize }}</h1>${PARAGRAPH.repeat(8)}
<table>${ROWS}</table>{% if coupon %}<p>Save {{ coupon.percent }} % with {{ coupon.code }}</p>{% else %}<p>Thank you.</p>{% endif %}
<p>{{ note | default: "No note" }} {{ order.placed_at | date: "%d.%m.%Y" }}</p><a href="{{ unsubscribe_url }}">Unsubscribe</a></body></html>`,
  text: 'Hello {{ user.name }}, order {{ order.number }}: {% for item in items %}{{ item.name }} x{{ item.quantity }}; {% endfor %}',
};

export function receiptVariables(index: number) {
  return {
    user: { name: `customer ${index}` },
    order: { number: `A-${index}`, placed_at: '2026-01-31T09:00:00Z' },
    address: { street: `Street ${index % 90}`, city: 'Springfield' },
    items: Array.from({ length: 12 }, (_, row) => ({ name: `Item <${row}> & more`, quantity: row + 1, price: 999 })),
    coupon: index % 2 === 0 ? { percent: 10, code: 'SPRING' } : null,
  };
}
