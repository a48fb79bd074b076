/** What makes a browser contact another host, or look its name up; `HOST` is replaced by the host. */
export const PHONING: Readonly<Record<string, string>> = {
  'dns-prefetch': '<link rel="dns-prefetch" href="//HOST">',
  'dns-prefetch in the body, oddly written': '<p><LINK/REL=DNS-Prefetch\nHREF=//HOST>',
  preconnect: '<link rel="preconnect" href="http://HOST">',
  prefetch: '<link rel="prefetch" href="http://HOST/p">',
  prerender: '<link rel="prerender" href="http://HOST/p">',
  preload: '<link rel="preload" as="image" href="http://HOST/p.png">',
  modulepreload: '<link rel="modulepreload" href="http://HOST/m.js">',
  'a style sheet': '<link rel="stylesheet" href="http://HOST/s.css">',
  'an icon': '<link rel="icon" href="http://HOST/i.ico">',
  'a manifest': '<link rel="manifest" href="http://HOST/m.json">',
  'prefetching switched on': '<meta http-equiv="x-dns-prefetch-control" content="on"><a href="http://HOST/">x</a>',
  'a refresh': '<meta http-equiv="refresh" content="0;url=http://HOST/r">',
  'a policy that reports':
    '<meta http-equiv="content-security-policy" content="img-src \'none\'; report-uri http://HOST/csp">',
  'a base': '<base href="http://HOST/"><img src="b.png">',
  'a link': '<a href="http://HOST/l" ping="http://HOST/ping">x</a>',
  'an area': '<map name="m"><area href="http://HOST/a" shape="default"></map>',
  'a picture': '<img src="http://HOST/i.png">',
  'a picture without quotes': '<img src=http://HOST/i.png>',
  'a picture named image': '<image src="http://HOST/i.png">',
  srcset: '<img srcset="http://HOST/2x.png 2x">',
  'a source': '<picture><source srcset="http://HOST/s.png"><img></picture>',
  'a low resolution picture': '<img lowsrc="http://HOST/l.png" dynsrc="http://HOST/d.png" longdesc="http://HOST/d">',
  'a background': '<table background="http://HOST/t.png"><tr><td background="http://HOST/c.png">x</table>',
  'a background of the body': '<body background="http://HOST/b.png">',
  'a style':
    '<div style="background:url(http://HOST/u.png);list-style-image:image-set(url(http://HOST/w.png) 1x)">x</div>',
  'an escaped style': '<div style="background:\\75rl(http://HOST/e.png)">x</div>',
  'a style element':
    '<style>@import url(http://HOST/i.css);p{background:url(http://HOST/p.png)}li::before{content:url(http://HOST/c.png)}</style><p>x<li>y',
  'a font': '<style>@font-face{font-family:f;src:url(http://HOST/f.woff2)}p{font-family:f}</style><p>x',
  'a video':
    '<video autoplay poster="http://HOST/p.png" src="http://HOST/v.mp4"><track default src="http://HOST/t.vtt"></video>',
  'a sound': '<audio autoplay src="http://HOST/a.mp3"></audio>',
  'an object': '<object data="http://HOST/o"></object>',
  'an embed': '<embed src="http://HOST/e">',
  'an applet': '<applet code="x" codebase="http://HOST/"></applet>',
  'a frame': '<iframe src="http://HOST/f"></iframe>',
  'a frame with a document': '<iframe srcdoc="<img src=http://HOST/s.png>"></iframe>',
  'a frame set': '<frameset><frame src="http://HOST/f"></frameset>',
  'a form': '<form action="http://HOST/f"><input type="image" src="http://HOST/i.png" autofocus></form>',
  'a portal': '<portal src="http://HOST/p"></portal>',
  'a script': '<script src="http://HOST/s.js"></script>',
  'speculation rules': '<script type="speculationrules">{"prefetch":[{"urls":["http://HOST/s"]}]}</script>',
  'a style in a list':
    '<select><style></select><link rel="dns-prefetch" href="//HOST"></style><style><!--<link rel="preconnect" href="http://HOST"></style></select>',
  'an event': '<img src="data:," onerror="fetch(\'http://HOST/e\')">',
  'an SVG picture': '<svg><image href="http://HOST/i.png" xlink:href="http://HOST/x.png"/></svg>',
  'an SVG use': '<svg><use href="http://HOST/u.svg#a"/></svg>',
  'an SVG filter':
    '<svg><filter id="f"><feImage href="http://HOST/f.png"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>',
  'an SVG style': '<svg><style>@import url(http://HOST/s.css);</style><rect fill="url(http://HOST/p.svg#a)"/></svg>',
  'an SVG animation': '<svg><image><set attributeName="href" to="http://HOST/a.png"/></image></svg>',
  'an SVG as data': `<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'%3E%3Cimage href='http://HOST/n.png'/%3E%3C/svg%3E">`,
  'a foreign object': '<svg><foreignObject><img src="http://HOST/i.png"></foreignObject></svg>',
  MathML: '<math href="http://HOST/m"><maction actiontype="statusline" xlink:href="http://HOST/x">x</maction></math>',
  'what a style in SVG hides': '<svg><style><img src="http://HOST/i.png"></style></svg>',
  'what a title hides': '<title><img src="http://HOST/i.png"></title><link rel="dns-prefetch" href="//HOST">',
  'what a comment ends': '<!--><link rel="dns-prefetch" href="//HOST">-->',
  'what a noscript has': '<noscript><link rel="dns-prefetch" href="//HOST"></noscript>',
  'what a template has': '<template><link rel="preconnect" href="http://HOST"></template>',
  'what a quote breaks': `<p title='"><link rel=dns-prefetch href=//HOST>'>x`,
  'what an attribute breaks': '<p title=`"<link rel=dns-prefetch href=//HOST>`>x',
  'what a tag that never ends has': 'x<link rel="dns-prefetch" href="//HOST" ',
};

/** Each with its own host. */
export function phoningHtml(domain: string): string {
  const parts = Object.values(PHONING).map((html, index) => html.replaceAll('HOST', `h${index}.${domain}`));
  // What hides the rest comes last.
  return parts.join('\n');
}
