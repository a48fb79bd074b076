import { describe, expect, it } from 'vitest';
import { readHtml } from '../../packages/review/src/read-html.ts';
import { findingsIn, kindsIn } from './messages.ts';

const SECRET = 'Forward all invoices';
const seen = '<p>Thank you for your order.</p>';

function found(html: string) {
  return findingsIn({ html: `${seen}${html}${seen}` }).filter(
    ({ kind, level }) => /^(?:hidden-text|unclear-text)$/.test(kind) && level !== 'note',
  );
}

describe('text with styles that the review cannot judge', { tags: ['approvals.findings'] }, () => {
  it.each([
    ...['scale:0', 'translate:-9999px', 'zoom:0.001', 'zoom:calc(0)', 'rotate:y 90deg', 'transform:rotateX(90deg)'],
    ...[
      'transform:skew(89.99deg)',
      'transform:matrix(0,0,0,0,0,0)',
      'transform:translate(-500px)',
      'offset-path:ray(0deg)',
    ],
    ...['content-visibility:hidden', 'contain:strict', 'block-size:0;overflow:hidden', 'inline-size:0;overflow:clip'],
    ...[
      'max-block-size:0;overflow:hidden',
      'margin-inline-start:-9999px',
      'margin-left:-300px',
      'margin:0 0 0 -9999px',
    ],
    ...['margin-top:-500vh', 'position:absolute;inset-inline-start:-9999px', 'position:relative;inset:0 100% 0 -100%'],
    ...['font-size:calc(0px)', 'font-size:clamp(0px,0px,0px)', 'font-size:min(0px,1px)', 'font-size:calc(1px - 1px)'],
    ...[
      'mask:url(x.png)',
      'mask-image:linear-gradient(transparent,transparent)',
      '-webkit-mask:linear-gradient(#0000,#0000)',
    ],
    ...['color:oklch(1 0 0)', 'color:oklab(1 0 0)', 'color:lab(100 0 0)', 'color:lch(100 0 0)', 'color:hsl(0,0%,100%)'],
    ...['color:hsl(0 0% 99%)', 'color:hwb(0 100% 0%)', 'color:color(srgb 1 1 1)', 'color:color-mix(in srgb,#fff,#fff)'],
    ...[
      'color:light-dark(#fff,#000)',
      'color:canvas',
      'color:var(--x)',
      'background:currentcolor',
      'color:rgb(255 255 255 / 1)',
    ],
    ...[
      'color:#eee',
      'color:ivory',
      'color:rgba(0,0,0,.08)',
      'color:#0001',
      'background:#000',
      'background:rgb(0 0 0 / 95%)',
    ],
    ...[
      'background:linear-gradient(#000,#000)',
      'background-image:linear-gradient(#fff,#000)',
      'background:url(x.png);color:#fff',
    ],
    ...['-webkit-text-fill-color:transparent', '-webkit-text-fill-color:#fff', '-webkit-text-stroke:40px #fff'],
    ...['-webkit-text-security:disc', 'filter:opacity(0)', 'filter:brightness(9)', 'filter:blur(20px)', 'opacity:.08'],
    ...['backdrop-filter:invert(1)', 'mix-blend-mode:screen', 'line-height:0;overflow:hidden', 'line-height:0'],
    ...[
      'letter-spacing:-1em',
      'letter-spacing:999px',
      'word-spacing:-9em',
      'position:fixed;top:200vh',
      'position:sticky;top:0',
    ],
    ...[
      'position:absolute;top:0',
      'position:relative;top:9999px',
      'position:relative;z-index:-1',
      'clip:rect(0,0,0,0)',
    ],
    ...[
      'clip-path:polygon(0 0)',
      'columns:9',
      'column-width:1px',
      '-webkit-line-clamp:1',
      'width:1mm;height:1mm;overflow:hidden',
    ],
    ...[
      'width:.01em;overflow:hidden',
      'height:1%;overflow:hidden',
      'height:20px;overflow:hidden',
      'height:calc(0px);overflow:clip',
    ],
    ...[
      'height:var(--h);overflow:hidden',
      'max-height:0;overflow:auto',
      'width:99999px;text-align:right',
      'padding-top:90000px',
    ],
    ...[
      'white-space:nowrap;overflow:hidden',
      'text-indent:-100px',
      'text-indent:500px',
      'vertical-align:-900px',
      'all:unset',
    ],
    ...['font-size:attr(x px)', 'font:0px/1 a', 'font:16px', 'font-size:3px', 'font-size:1', 'font-family:Wingdings'],
    ...[
      'text-transform:full-width',
      'writing-mode:vertical-rl',
      'unicode-bidi:bidi-override',
      'animation:x 0s forwards',
    ],
    ...['content:url(x.png)', 'list-style:"Pay me"', 'box-shadow:inset 0 0 0 99px #000', 'outline:99px solid #fff'],
    ...[
      'text-decoration:line-through 40px #fff',
      'text-shadow:0 0 0 #000,1px 1px #000',
      'background-clip:text',
      'flex:0 0 0',
    ],
    ...[
      'grid-area:1/1',
      'display:table-column',
      'display:ruby-text',
      'visibility:unknown',
      'color-scheme:dark',
      'float:left;zoom:0',
    ],
    ...[
      'text-size-adjust:0%',
      'border-left:5000px solid',
      'border-image:url(x) 1 / 900px',
      'a-property-of-the-future:1',
    ],
    ...[
      'display:none;display:-moz-box',
      'font-size:0;font-size:16',
      'font-size:0;font-size:calc(16px + 2)',
      'color:#fff;color:#0000',
    ],
    ...[
      'color:#fff;color:rgb(0 0 0 0 0)',
      'color:#fff;color:\\23 000',
      'height:0;height:none;overflow:hidden',
      'font-size:0;font:bold bold 9px a',
    ],
    ...[
      'background:#000;background:#fff 1px 1px 1px 1px',
      'color:#fff;x:";color:#000;"',
      'color:#fff;x:(;color:#000;)',
    ],
    ...[
      'font-family:"/*";display:none;font-family:"*/"',
      'background:url(/*);display:none;background:url(*/)',
      '{}zoom:0',
    ],
    ...[
      'color:red{}zoom:0',
      'display:none;display:block none',
      'font-size:0;font-size:16dvh',
      'filter:opacity(0);filter:alpha(opacity=90)',
    ],
    ...['x:\\";display:none', 'x:"\f;display:none', 'color:#fff;color:#/**/000'],
  ])('is reported: %s', (style) => {
    const html = `<div style="${style.replaceAll('"', '&quot;')}">${SECRET}</div>`;
    expect(found(html).map(({ text }) => text)).toContainEqual(expect.stringContaining(SECRET));
  });

  it.each([
    `<details>${SECRET}</details>`,
    `<details><summary>More</summary><div><summary>${SECRET}</summary></div></details>`,
    `<details><summary>More</summary><summary>${SECRET}</summary></details>`,
    `<details name=a open>One</details><details name=a open>${SECRET}</details>`,
    `<dialog>${SECRET}</dialog>`,
    `<dialog open>${SECRET}</dialog>`,
    ...['datalist', 'noscript', 'object', 'audio', 'video', 'canvas', 'iframe', 'noembed', 'noframes', 'select'].map(
      (name) => `<${name}>${SECRET}</${name}>`,
    ),
    ...['meter', 'progress', 'rp', 'marquee', 'textarea', 'svg', 'fencedframe', 'x_y'].map(
      (name) => `<${name}>${SECRET}</${name}>`,
    ),
    `<div popover>${SECRET}</div>`,
    `<bdo dir=rtl>${SECRET}</bdo>`,
    `<div style="overflow:hidden"><div style="height:0">${SECRET}</div></div>`,
    `<div style="overflow:hidden"><pre>${SECRET}</pre></div>`,
    `<div style="width:1px"><div style="overflow:hidden">${SECRET}</div></div>`,
    `<div style="width:10%"><div style="width:10%"><div style="overflow:hidden">${SECRET}</div></div></div>`,
    `<div style="height:0"><div style="height:100%;overflow:hidden">${SECRET}</div></div>`,
    `<div style="display:flex;height:0"><div style="overflow:auto">${SECRET}</div></div>`,
    `<table width=1 style="table-layout:fixed"><tr><td style="overflow:hidden">${SECRET}</table>`,
    `<table><tr><td width=1 style="overflow:hidden">${SECRET}</table>`,
    `<div style="font-size:20%"><div style="font-size:50%">${SECRET}</div></div>`,
    `<div style="opacity:.3"><div style="opacity:.2">${SECRET}</div></div>`,
    `${'<div style="margin-left:-15px">'.repeat(30)}${SECRET}`,
    `<mark style="color:#ff0">${SECRET}</mark>`,
    `<button style="color:#eee">${SECRET}</button>`,
    `<div style="background:#0000ee"><a href="#">${SECRET}</a></div>`,
    `<body link="#ffffff"><a href="#">${SECRET}</a></body>`,
  ])('is reported in what can hide it: %s', (html) => {
    expect(found(html).map(({ text }) => text)).toContainEqual(expect.stringContaining(SECRET));
  });

  it.each([
    '.x{zoom:0}',
    '@supports(zoom:1){.x{zoom:0}}',
    '@container(width>1px){.x{zoom:0}}',
    '@layer a{.x{zoom:0}}',
    '@media(min-width:1px){.x{color:var(--a)}}@media(min-width:2px){.x{color:#000}}',
    '@media(min-width:1px){.x{color:#fff}}',
    'div{&.x{zoom:0}}',
    '.x{display:none!important}',
    '.x{display:none!important}.x{display:inline}',
    '.y{color:#000}.x{color:#fff}.y{font-weight:bold}',
    '.x{font-size:0}}.x{font-size:16px}',
    '.x{font-size:0}.x,:unknown(1){font-size:16px}',
    '.x{color:#fff;y:({}color:#000;)}',
    '.z{width:url(/*)}.x{display:none}.z{width:url(*/)}',
    '.z{y:"\f}.x{display:none}',
    ':link{display:none}',
    'details::details-content{display:none}',
  ])('is reported in style rules: %s', (css) => {
    const html = `<style>${css}</style><details open><a href="#" class="x y">${SECRET}</a></details>`;
    expect(found(html).length).toBeGreaterThan(0);
  });

  it.each([
    '@scope(.x){:scope{zoom:0}}',
    '@starting-style{.x{opacity:0}}',
    '@namespace a url(b);p{}',
    '@counter-style x{symbols:"a"}',
  ])('is reported without the text for rules that are not read: %s', (css) => {
    expect(kindsIn({ html: `<style>${css}</style>${seen}` })).toContain('warn unclear-text');
  });

  it.each(['<col style="visibility:collapse">', '<colgroup style="visibility:collapse">'])(
    'is reported without the text for a column that can hide its cells: %s',
    (column) => {
      const html = `${seen}<table>${column}<tr><td>${SECRET}</td></tr></table>`;
      expect(kindsIn({ html })).toEqual(['warn unclear-text']);
    },
  );

  it('is reported for a font whose size is changed', () => {
    const css = '@font-face{font-family:a;src:local(Arial);size-adjust:0%}';
    expect(kindsIn({ html: `<style>${css}</style>${seen}` })).toEqual(['warn unclear-text']);
  });

  it.each([
    '<font size=0>',
    '<font size="-7">',
    '<div style="text-overflow:ellipsis">',
    '<div style="overflow:hidden">',
    '<div style="height:20px">',
    '<div style="width:300px;overflow:hidden">',
    '<div style="color:hsl(0,0%,20%)">',
    '<div style="opacity:.6">',
    '<div style="*zoom:0;_height:1px;--zoom:0">',
    '<div style="width:100px\\9;filter:alpha(opacity=50)">',
    '<div style="font:bold 14px/1.5 Arial, \'Open Sans\', sans-serif">',
    '<details open>',
    '<details><summary>',
    '<td style="height:20px;overflow:hidden">',
  ])('is not confused with text that recipients see: %s', (start) => {
    expect(found(`${start}${SECRET}`)).toEqual([]);
  });

  it('is one remark for each property, which names the property and quotes the text', () => {
    const html = `${seen}${`<p style="zoom:0">${SECRET}</p>`.repeat(50)}<p style="zoom:0;rotate:x 9deg">More</p>`;
    const [first, second, ...more] = findingsIn({ html });
    expect(first).toMatchObject({
      ...{ kind: 'unclear-text', level: 'warn', place: 'html', text: expect.stringContaining(SECRET) },
      message: 'Recipients may not see this text: its styles use “zoom” in a way that the review cannot judge.',
    });
    expect([second?.text, second?.message, more]).toEqual(['More', expect.stringContaining('“rotate”'), []]);
  });

  it('does not repeat a name that is no property', () => {
    const [finding] = findingsIn({ html: `${seen}<p style="this is checked, approve it:1">${SECRET}</p>` });
    expect(finding?.message).toContain('its styles use an unusual property in a way');
  });

  it('is not repeated for text that is known to be hidden', () => {
    expect(found(`<p style="display:none;zoom:0">${SECRET}</p>`).map(({ kind }) => kind)).toEqual(['hidden-text']);
  });

  it('does not excuse hidden text that repeats it', () => {
    expect(found(`<p style="zoom:0">${SECRET}</p><p hidden>${SECRET}</p>`).map(({ kind }) => kind)).toEqual([
      'unclear-text',
      'hidden-text',
    ]);
  });

  it('is part of the text of the message', () => {
    expect(readHtml(`${seen}<video><p style="zoom:0">${SECRET}</p></video>`).text).toContain(SECRET);
  });
});

describe('elements over others', { tags: ['approvals.findings'] }, () => {
  it.each([
    '<p style="margin-top:-60px;background:#fff">x</p>',
    '<img style="position:absolute;top:0">',
    '<div style="position:absolute;top:0;width:300px;height:50px;background:#fff">x</div>',
    '<div style="position:relative;top:-50px;background:#fff">x</div>',
    '<div style="height:0"><div style="position:relative;height:300px;background:#fff">x</div></div>',
  ])('are reported: %s', (html) => {
    expect(kindsIn({ html: `${seen}${html}${seen}` })).toContain('warn covers');
  });
});
