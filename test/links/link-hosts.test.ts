import { describe, expect, it } from 'vitest';
import { findLinkHosts, findMessageHosts } from '../../packages/server/src/links/link-hosts.ts';
import { parsedAttributes, parsedTexts, randomHtml } from './parsed-html.ts';

const hostsOf = (hosts: string) => hosts.split(' ').filter((host) => host !== '' && !/[?@]/.test(host));
/** Hosts and mail addresses separated by blanks; `?` is a link that cannot be read. */
const expected = (hosts: string) => ({
  hosts: hostsOf(hosts),
  addresses: hosts.split(' ').filter((host) => host.includes('@')),
  unreadable: hosts.split(' ').includes('?'),
});

describe('the hosts that mail programs link in plain text', () => {
  it.each<[string, string]>([
    ['evil.com/@pay', 'evil.com'],
    ['www.ⓔⓥⓘⓛ.com/login', 'www.evil.com'],
    ['evil.ⓒⓞⓜ', 'evil.com'],
    ['i❤.ws', 'xn--i-7iq.ws'],
    ['www.evil.com/pay/me@x', 'www.evil.com'],
    ['evil.com/pay@good.com', 'evil.com'],
    ['www.evil.com@good.com', 'www.evil.com good.com'],
    ['@evil.com', 'evil.com'],
    ['a@b@evil.com', 'evil.com'],
    ['我@evil.com', 'evil.com'],
    ['me@evil.com/pay', 'evil.com'],
    ['me@evil.com', 'me@evil.com'],
    ['sales/help@evil.com', 'help@evil.com'],
    ['first.last+tag@evil.com,', 'first.last+tag@evil.com'],
    ['mailto:me@evil.com?subject=x', 'me@evil.com'],
    ['//evil.com/x', 'evil.com'],
    ['see/evil.com', 'evil.com'],
    ['evil.com:8080/x', 'evil.com'],
    ['(evil.com)', 'evil.com'],
    ['pay:evil.com!', 'evil.com'],
    ['evil.com,pay', 'evil.com'],
    ['evil.com.Please', 'evil.com evil.com.please'],
    ['evil.com-pay', 'evil.com'],
    ['pay_now.evil.com', 'pay_now.evil.com'],
    ['www.evil.example', 'www.evil.example'],
    ['ftp.evil.example', 'ftp.evil.example'],
    [`${'a'.repeat(300)}.evil.com`, 'evil.com'],
    [`evil.com.${'b'.repeat(300)}`, 'evil.com'],
    ['203.0.113.9/pay', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:8080', '203.0.113.9'],
    ['version 10.0.19045.1', ''],
    ['http://3405803785/', '203.0.113.9'],
    ['http://0xcb.0.0x71.011/', '203.0.113.9'],
    ['http://0313.0.0161.9/', '203.0.113.9'],
    ['http://[2001:db8::1]/', '[2001:db8::1]'],
    ['https:evil.com/x', 'evil.com ?'],
    ['https:/evil.com', 'evil.com ?'],
    ['https:\\\\evil.com\\x', 'evil.com ?'],
    ['http:///evil.com', 'evil.com ?'],
    ['HTTPS://EVIL.COM', 'evil.com'],
    ['https://evil.com.:443/', 'evil.com'],
    ['https://good.com@evil.com', 'evil.com ?'],
    ['https://good.com%2f@evil.com', 'evil.com ?'],
    ['https://good.com\\@evil.com', 'good.com evil.com ?'],
    ['https://good.com@evil.com@other.com/', 'other.com ?'],
    ['https://%65vil.com', 'evil.com ?'],
    ['https://good.com/)www.evil.com', 'good.com www.evil.com'],
    ['https://good.com/|https://evil.com', 'good.com evil.com'],
    ['https://good.com/，https://evil.com', 'good.com evil.com'],
    ['https://good.com/?next=https://other.com/', 'good.com'],
    ['https://good.com/@52.5,13.4,17z', 'good.com'],
    ['evil.com+https://good.com', '?'],
    ['ftp://evil.com', 'evil.com'],
    ['ws://evil.com', 'evil.com'],
    ['intent://good.com/#Intent;S.browser_fallback_url=https://evil.com;end', '? evil.com'],
    ['whatsapp://send?text=x', '?'],
    ['javascript://good.com/%0aalert(1)', '?'],
    ['file://good.com/x', '?'],
    ['Look in \\\\server\\share', '?'],
    ['bücher.com', 'xn--bcher-kva.com'],
    ['bu\u0308cher.com', 'xn--bcher-kva.com'],
    ['xn--bcher-kva.com', 'xn--bcher-kva.com'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['аpple.com', 'xn--pple-43d.com pple.com'],
    ['evil。com', 'evil.com'],
    ['evil．com', 'evil.com'],
    ['evil｡com', 'evil.com'],
    ['请访问evil.com谢谢', 'evil.com'],
    ['evil.com에서', 'evil.com'],
    ['Open evil.com\u0301/login', 'evil.com'],
    ['evil.com\u20e3', 'evil.com'],
    ['shop.münchen.de', 'shop.xn--mnchen-3ya.de'],
    ['ev\u00adil.com', 'il.com evil.com'],
    ['ev\u200bil\u2060.com', 'evil.com'],
    ['evil.com\u200bpay', 'evil.com'],
    ['https://ev\u200bil.com/', 'evil.com ?'],
    ['report.pdf, node.js, e.g. this. Thanks.Bye', ''],
    ['10:30, Re: hello, Note:this', ''],
  ])('%s', (text, hosts) => {
    expect(findLinkHosts(null, [text])).toEqual(expected(hosts));
  });
});

describe('the hosts that HTML leads to', () => {
  it.each<[string, string]>([
    ['<meta http-equiv="refresh" content="0;url=https://evil.com">', 'evil.com'],
    ['<meta http-equiv=refresh content="1.5, URL=\'//evil.com\'">', 'evil.com'],
    ['<meta http-equiv="refresh" content="0 https://evil.com">', 'evil.com'],
    ['<meta http-equiv="&#114;efresh" content="0;url=evil">', '?'],
    ['<meta name="viewport" content="width=device-width, initial-scale=1.0"><meta content="Note: hi, 2 of 3">', ''],
    ['<meta itemprop="url" content="https://evil.com">', 'evil.com'],
    [
      '<svg><a><animate attributeName="href" values="https://good.com;https://evil.com"/></a></svg>',
      'good.com evil.com',
    ],
    ['<svg><a><set attributeName="xlink:href" to="&#104;ttps://evil.com"/></a></svg>', 'evil.com'],
    ['<svg><animate from="//evil.com" by="https://two.com" to="10"/></svg>', 'evil.com two.com'],
    ['<svg><animate values="0;1;0.5" from="#fff" to="0 0 10"/></svg>', ''],
    ['<svg><set to="javascript:alert(1)"/></svg>', '?'],
    ['<iframe src="https://evil.com"></iframe>', 'evil.com'],
    ['<frameset><frame src=//evil.com></frameset>', 'evil.com'],
    ['<embed src="https://evil.com">', 'evil.com'],
    ['<object data="https://evil.com"><param name=movie value="https://two.com"></object>', 'evil.com two.com'],
    ['<iframe srcdoc="&lt;a h&#114;ef=//evil.com>"></iframe>', '?'],
    ['<map><area href="https://evil.com"></map>', 'evil.com'],
    ['<button formaction="https://evil.com">x</button>', 'evil.com'],
    ['<a ping="https://evil.com" href="#">x</a>', 'evil.com'],
    ['<link rel="prerender" href="https://evil.com">', 'evil.com'],
    ['<base href="https://evil.com"><a href="/pay">x</a>', 'evil.com ?'],
    ['<svg xml:base="https://evil.com"><a href="#x">x</a></svg>', 'evil.com'],
    ['<math href="https://evil.com">x</math>', 'evil.com'],
    ['<v:rect href="https://evil.com">', 'evil.com'],
    ['<a href="data:text/html,x">x</a>', '?'],
    ['<a href="javascript://good.com/%0aalert(1)">x</a>', '?'],
    ['<a href="intent://good.com/">x</a>', '?'],
    ['<a href="evil.com/pay">x</a>', '?'],
    ['<a href="https:evil.com">x</a>', 'evil.com ?'],
    ['<a href="/\\evil.com">x</a>', 'evil.com ?'],
    ['<a href=" \n//ev\til.com">x</a>', 'evil.com ?'],
    ['<a href="http&colon;&sol;&sol;evil&period;com">x</a>', 'evil.com'],
    ['<a href="https://%E3%80%82@evil。com">x</a>', 'evil.com ?'],
    ['<a href="https://good.com\\@evil.com">x</a>', 'good.com ?'],
    ['<a href="https://good.com">evil.com</a>', 'good.com evil.com'],
    ['<a href="mailto:me@evil.com?body=https://evil.com">x</a>', 'me@evil.com'],
    ['<img src="https://cdn.com/x.png" srcset="https://cdn.com/y.png 2x" alt="x">', 'cdn.com'],
    ['<td background="https://cdn.com/x.png" style="background:url(https://cdn.com/x.png)">', 'cdn.com'],
    ['<style>@import url(https://cdn.com/x.css); a { background: url("https://cdn.com/x") }</style>', 'cdn.com'],
    ['<video poster="https://cdn.com/x.png" src="https://cdn.com/x.mp4"></video>', 'cdn.com'],
    ['<style>.x{display:block!important}</style><p class=x style="display:none">evil.com</p>', 'evil.com'],
    ['<p class=x style="display:none"><xmp><b x="</xmp>evil.com">', 'evil.com'],
    ['<svg><style><p>evil.com', 'evil.com'],
    ['<svg><text>https://evil.com</text></svg>', 'evil.com'],
    ['<svg><![CDATA[ evil.com ]]></svg>', 'evil.com'],
    ['<!--[if mso]>evil.com<![endif]-->', 'evil.com'],
    ['<!--[if mso]><style>a{background:url(https://cdn.com/x)}</style><![endif]-->', 'cdn.com'],
    ['<title>evil.com</title><textarea>two.com</textarea>', 'evil.com two.com'],
    ['ev<b>il</b>.com', 'evil.com'],
    ['evil.<!-- -->com', 'evil.com'],
    ['evil.com<b>pay</b>', 'evil.com'],
    ['e&shy;vil&period;com', 'vil.com evil.com'],
    ['<table><tr><td>Acme</td><td>good.com</td></tr></table>', 'good.com'],
    // Browsers ignore cells outside a table.
    ['<td>Acme</td><td>good.com</td>', 'acmegood.com good.com'],
    ['<td>Order no.</td><td>com</td>', 'no.com'],
    ['<table><tr><td>Order no.</td><td>com</td></tr></table>', ''],
    [
      '<script type="application/ld+json">{"@context":"http://schema.org","target":"https:\\/\\/evil.com"}</script>',
      'evil.com',
    ],
    [
      '<script type="application/ld+json">{"target":"\\u0068\\u0074\\u0074\\u0070\\u0073\\u003a\\u002f\\u002f\\u0065\\u0076\\u0069\\u006c\\u002e\\u0063\\u006f\\u006d\\u002f\\u0078","x":"\\\\evil2.com\\n"}</script>',
      'evil.com evil2.com ?',
    ],
    ['<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><p>x', ''],
    ['<a href="{{unsubscribe_url}}">x</a>', ''],
  ])('%s', (html, hosts) => {
    const found = findLinkHosts(html, [null]);
    expect({ ...found, hosts: [...found.hosts].sort() }).toEqual({ ...expected(hosts), hosts: hostsOf(hosts).sort() });
  });
});

describe('the hosts of subjects, names and headers', () => {
  const linesOf = (lines: readonly string[], headers: Record<string, string> = {}) =>
    findMessageHosts({ html: null, text: null, lines, headers });

  it.each<[string, string]>([
    ['Pay at https://evil.com/x', 'evil.com'],
    ['Pay at evil.com/x', 'evil.com'],
    ['Pay at evil.com?x=1', 'evil.com'],
    ['Pay at www.evil.com', 'www.evil.com'],
    ['"evil.com/pay" <me@acme.com>', 'evil.com me@acme.com'],
    ['Your acme.com order: sent', 'acme.com'],
    ['acme.com <me@acme.com>', 'acme.com me@acme.com'],
  ])('%s', (line, hosts) => {
    expect(linesOf([line])).toEqual(expected(hosts));
  });

  it.each<[string, string, string]>([
    ['List-Unsubscribe', '<https://evil.com/x>', 'evil.com'],
    ['List-Unsubscribe', '<evil.com/x>', '?'],
    ['List-Unsubscribe', '<//evil.com/x>', 'evil.com'],
    ['list-unsubscribe', '<https:evil.com>', 'evil.com ?'],
    ['List-Unsubscribe', '<ht tps://ev il.com>', 'evil.com'],
    ['List-Unsubscribe', '<https://evil.com', 'evil.com'],
    ['List-Unsubscribe', 'evil.com', 'evil.com'],
    ['List-Unsubscribe', '<mailto:a@evil.com>, <{{unsubscribe_url}}>', 'a@evil.com'],
    ['List-Help', '<javascript:alert(1)>', '?'],
    ['Archived-At', '<http://evil.com>', 'evil.com'],
    ['List-Id', 'News <news.acme.com>', ''],
    ['X-Note', 'see https://evil.com', 'evil.com'],
  ])('%s: %s', (name, value, hosts) => {
    expect(linesOf([], { [name]: value })).toEqual(expected(hosts));
  });
});

describe('every link that an independent parser sees', () => {
  it('is found, in any element and attribute', { tags: ['holes.link-hosts'] }, () => {
    for (let round = 0; round < 400; round += 1) {
      const { html, seed } = randomHtml(round);
      const { hosts } = findLinkHosts(html, [null]);
      for (const host of [...parsedAttributes(html), ...parsedTexts(html)]) {
        expect(hosts, `seed ${seed}: ${html}`).toContain(host);
      }
    }
  });
});
