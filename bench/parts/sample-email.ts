/** A typical application email: 3 KB of HTML with ten links, and a different recipient, subject and body each time. */
export function sampleEmail(seed: number, index: number) {
  const name = `Customer ${seed}-${index}`;
  const link = (n: number) => `https://shop.example.com/orders/${seed}/${index}/items/${n}?ref=mail&step=${n}`;
  const items = Array.from(
    { length: 10 },
    (_, n) =>
      `<tr><td style="padding:8px 12px;border-bottom:1px solid #e5e7eb"><a href="${link(n)}">Item ${n + 1} of order ${index}</a></td><td style="padding:8px 12px;text-align:right">${((index * 7 + n * 13) % 900) / 10} EUR</td></tr>`,
  );
  const html = `<!doctype html><html><head><meta charset="utf-8"><title>Your order</title></head><body style="margin:0;font-family:Helvetica,Arial,sans-serif;color:#111827"><h1 style="font-size:20px">Thank you, ${name}</h1><p>Your order ${seed}-${index} has been received and will be sent within two working days.</p><table role="presentation" width="100%" cellspacing="0">${items.join('')}</table><p style="font-size:13px;color:#6b7280">You receive this message because you placed an order. Reference ${seed}/${index}.</p></body></html>`;
  const text = `Thank you, ${name}\n\nYour order ${seed}-${index} has been received and will be sent within two working days.\n\n${Array.from({ length: 10 }, (_, n) => `- Item ${n + 1}: ${link(n)}`).join('\n')}\n`;
  return {
    from: 'Example Shop <orders@sandbox.test>',
    to: `customer-${seed}-${index}@example.com`,
    subject: `Your order ${seed}-${index}`,
    html,
    text,
    tags: ['order', 'confirmation'],
  };
}
