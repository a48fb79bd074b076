import { describe, expect, it } from 'vitest';
import { kindsIn } from './messages.ts';

/** As MJML 4 writes it. */
const MJML = `<!doctype html>
<html lang="und" dir="auto" xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head><title>Your invoice</title><!--[if !mso]><!--><meta http-equiv="X-UA-Compatible" content="IE=edge"><!--<![endif]-->
<meta name="viewport" content="width=device-width,initial-scale=1">
<style type="text/css">#outlook a { padding:0; }
      body { margin:0;padding:0;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%; }
      table, td { border-collapse:collapse;mso-table-lspace:0pt;mso-table-rspace:0pt; }
      img { border:0;height:auto;line-height:100%; outline:none;text-decoration:none;-ms-interpolation-mode:bicubic; }
      p { display:block;margin:13px 0; }</style>
<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:AllowPNG/><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml></noscript><![endif]-->
<!--[if lte mso 11]><style type="text/css">.mj-outlook-group-fix { width:100% !important; }</style><![endif]-->
<style type="text/css">@media only screen and (min-width:480px) { .mj-column-per-100 { width:100% !important; max-width: 100%; } .mj-column-per-50 { width:50% !important; max-width: 50%; } }</style>
<style media="screen and (min-width:480px)">.moz-text-html .mj-column-per-100 { width:100% !important; max-width: 100%; }</style>
<style type="text/css">@media only screen and (max-width:479px) { table.mj-full-width-mobile { width: 100% !important; } td.mj-full-width-mobile { width: auto !important; } }</style>
</head><body style="word-spacing:normal;background-color:#F4F4F4;">
<div style="display:none;font-size:1px;color:#ffffff;line-height:1px;max-height:0px;max-width:0px;opacity:0;overflow:hidden;">Your invoice for January</div>
<div style="background-color:#F4F4F4;" lang="und" dir="auto">
<!--[if mso | IE]><table align="center" border="0" cellpadding="0" cellspacing="0" style="width:600px;" width="600" bgcolor="#ffffff"><tr><td style="line-height:0px;font-size:0px;mso-line-height-rule:exactly;"><![endif]-->
<div style="background:#ffffff;background-color:#ffffff;margin:0px auto;border-radius:8px;max-width:600px;overflow:hidden;">
<table align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:#ffffff;background-color:#ffffff;width:100%;border-radius:8px;"><tbody><tr>
<td style="border-left:1px solid #dddddd;direction:ltr;font-size:0px;padding:20px 0;text-align:center;">
<div class="mj-column-per-100 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%;">
<table border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top;" width="100%"><tbody>
<tr><td align="center" style="font-size:0px;padding:10px 25px;word-break:break-word;"><table border="0" style="border-collapse:collapse;border-spacing:0px;"><tbody><tr><td style="width:108px;"><img alt="Acme" src="cid:logo" style="border:0;display:block;outline:none;text-decoration:none;height:auto;width:100%;font-size:13px;" width="108" height="auto"></td></tr></tbody></table></td></tr>
<tr><td align="center" style="font-size:0px;padding:10px 25px;word-break:break-word;"><p style="border-top:solid 4px #F45E43;font-size:1px;margin:0px auto;width:100%;"></p></td></tr>
<tr><td style="font-size:0px;word-break:break-word;"><div style="height:20px;line-height:20px;">&#8202;</div></td></tr>
<tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word;"><div style="font-family:Ubuntu, Helvetica, Arial, sans-serif;font-size:20px;line-height:1;text-align:left;color:#F45E43;">Your invoice for January</div></td></tr>
<tr><td align="center" vertical-align="middle" style="font-size:0px;padding:10px 25px;word-break:break-word;"><table border="0" style="border-collapse:separate;line-height:100%;"><tbody><tr><td align="center" bgcolor="#414141" role="presentation" style="border:none;border-radius:3px;cursor:auto;mso-padding-alt:10px 25px;background:#414141;" valign="middle">
<a href="https://acme.example/pay" style="display:inline-block;background:#414141;color:#ffffff;font-family:Ubuntu, Helvetica, Arial, sans-serif;font-size:13px;font-weight:normal;line-height:120%;margin:0;text-decoration:none;text-transform:none;padding:10px 25px;mso-padding-alt:0px;border-radius:3px;" target="_blank">Pay the invoice</a></td></tr></tbody></table></td></tr>
</tbody></table></div></td></tr></tbody></table></div>
<!--[if mso | IE]></td></tr></table><![endif]-->
<div style="margin:0 auto;max-width:600px;"><table role="presentation" style="width:100%;"><tbody><tr style="vertical-align:top;"><td background="https://acme.example/hero.jpg" style="background:#2a3448 url('https://acme.example/hero.jpg') no-repeat center center / cover;background-position:center center;background-repeat:no-repeat;padding:100px 0px;vertical-align:top;" height="269">
<div class="mj-hero-content" style="margin:0px auto;"><div style="font-family:helvetica;font-size:45px;line-height:45px;text-align:center;color:#ffffff;">Thank you</div></div></td></tr></tbody></table></div>
</div></body></html>`;

/** As react-email renders it. */
const REACT_EMAIL = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html dir="ltr" lang="en"><head><link rel="preload" as="image" href="cid:logo"/><meta content="text/html; charset=UTF-8" http-equiv="Content-Type"/><meta name="x-apple-disable-message-reformatting"/>
<style>@font-face{font-family:'Inter';font-style:normal;font-weight:400;mso-font-alt:'Verdana';src:url(https://fonts.gstatic.com/inter.woff2) format('woff2');}*{font-family:'Inter', Verdana;}
@media (min-width:640px){.sm_p-8{padding:2rem!important}}</style></head>
<div style="display:none;overflow:hidden;line-height:1px;opacity:0;max-height:0;max-width:0" data-skip-in-text="true">Join Ada on Acme<div> ‌​‍‎‏﻿ ‌​‍‎‏﻿</div></div>
<body style="background-color:rgb(255,255,255);margin-top:auto;margin-bottom:auto;margin-left:auto;margin-right:auto;font-family:ui-sans-serif, system-ui, sans-serif, &quot;Apple Color Emoji&quot;;padding-left:0.5rem;padding-right:0.5rem">
<table align="center" width="100%" border="0" cellPadding="0" cellSpacing="0" role="presentation" style="border-width:1px;border-style:solid;border-color:rgb(234,234,234);border-radius:0.25rem;margin:40px auto;padding:20px;max-width:465px"><tbody><tr style="width:100%"><td>
<h1 style="color:rgb(0,0,0);font-size:24px;font-weight:400;text-align:center;padding:0;margin:30px 0">Join <strong>Ada</strong> on Acme</h1>
<p style="color:rgb(0 0 0 / 1);font-size:14px;line-height:24px;margin:16px 0;margin-block:16px">Hello Grace, Ada invited you.</p>
<table align="center" width="100%" style="margin-top:32px;text-align:center"><tbody><tr><td>
<a href="https://acme.example/join" style="background-color:rgb(0,0,0);border-radius:0.25rem;color:rgb(255,255,255);font-size:12px;font-weight:600;text-decoration-line:none;text-align:center;line-height:100%;text-decoration:none;display:inline-block;max-width:100%;mso-padding-alt:0px;padding:12px 20px 12px 20px;box-shadow:0 0 #0000, 0 1px 2px 0 rgb(0 0 0 / 0.05);transition:all .2s" target="_blank"><span><!--[if mso]><i style="mso-font-width:500%;mso-text-raise:18" hidden>&#8202;&#8202;</i><![endif]--></span><span style="max-width:100%;display:inline-block;line-height:120%;mso-padding-alt:0px;mso-text-raise:9px">Join the team</span><span><!--[if mso]><i style="mso-font-width:500%" hidden>&#8202;&#8203;</i><![endif]--></span></a></td></tr></tbody></table>
<hr style="border-width:1px;border-style:solid;border-color:rgb(234,234,234);margin:26px 0;width:100%;border:none;border-top:1px solid #eaeaea"/>
<p style="color:#8898aa;font-size:12px;line-height:24px">If you did not expect this invitation, ignore it. Code: <code style="display:inline-block;padding:16px 4.5%;width:90.5%;background-color:#f4f4f4;border-radius:6px;border:1px solid #eee;color:#333;letter-spacing:6px">417-302</code></p>
<img alt="Acme" src="cid:logo" width="32" style="display:block;outline:none;border:none;text-decoration:none;margin:0 auto"/></td></tr></tbody></table></body></html>`;

/** As Foundation for Emails, inlined, and the resets that templates of many years carry along. */
const FOUNDATION = `<html xmlns="http://www.w3.org/1999/xhtml"><head><meta name="color-scheme" content="light dark"><style>
:root{color-scheme:light dark;supported-color-schemes:light dark}
.wrapper{width:100%}#outlook a{padding:0}.ExternalClass{width:100%}.ExternalClass,.ExternalClass p,.ExternalClass span{line-height:100%}
#backgroundTable{margin:0;padding:0;width:100%!important;line-height:100%!important}u + #body a{color:inherit;text-decoration:none;font-size:inherit;font-weight:inherit;line-height:inherit}
a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}table.body table.columns td.expander{visibility:hidden;width:0;padding:0!important}
a:link,a:visited{color:#2199e8}.yshortcuts a{border-bottom:none!important}@-ms-viewport{width:device-width}
*{box-sizing:border-box;-webkit-font-smoothing:antialiased;-moz-osx-font-smoothing:grayscale}
v\\:*{behavior:url(#default#VML)}.show-for-large{display:none!important;width:0;mso-hide:all;overflow:hidden;max-height:0;font-size:0;line-height:0}
@media only screen{html{min-height:100%;background:#f3f3f3}}
@media only screen and (max-width:596px){.small-float-center{margin:0 auto!important;float:none!important;text-align:center!important}table.body img{width:auto;height:auto}
table.body .columns{height:auto!important;padding-left:16px!important;padding-right:16px!important}th.small-12{display:inline-block!important;width:100%!important}}
@media (prefers-color-scheme:dark){body,.card{background:#111!important}body,.card,h1,p,td,li,font{color:#eee!important}}
[data-ogsc] p{color:#eee!important}</style></head>
<body id="body" style="-moz-box-sizing:border-box;-ms-text-size-adjust:100%;-webkit-box-sizing:border-box;-webkit-text-size-adjust:100%;Margin:0;background:#f3f3f3;box-sizing:border-box;color:#0a0a0a;font-family:Helvetica,Arial,sans-serif;font-size:16px;font-weight:400;line-height:1.3;margin:0;min-width:100%;padding:0;text-align:left;width:100%!important">
<table class="body card" style="Margin:0;background:#f3f3f3;border-collapse:collapse;border-spacing:0;color:#0a0a0a;font:normal 16px/1.3 Helvetica, Arial, sans-serif;height:100%;table-layout:fixed;width:100%"><tr style="padding:0;text-align:left;vertical-align:top"><td align="center" valign="top" style="-moz-hyphens:auto;-webkit-hyphens:auto;Margin:0;border-collapse:collapse!important;hyphens:auto;word-wrap:break-word;overflow-wrap:anywhere">
<center data-parsed="" style="min-width:580px;width:100%"><table class="columns"><tr><th class="small-12" style="Margin:0 auto;padding-bottom:16px;padding-left:16px;width:564px">
<h1 style="Margin:0;Margin-bottom:10px;color:inherit;font-size:34px;letter-spacing:-.5px;word-wrap:normal">Your order has shipped</h1>
<p style="margin:0 0 10px;text-shadow:0 1px 0 #ffffff">It arrives on <b>Monday</b>. <font size="2" color="#666666">Order <span style="white-space:nowrap">12 345</span></font></p>
<ul style="list-style:disc inside;padding-inline-start:20px"><li style="mso-special-format:bullet;margin-left:36pt;text-indent:-18pt;mso-list:l0 level1 lfo1">One lamp</li></ul>
<table class="button" style="width:auto"><tr><td style="background:#2199e8;border:2px solid #2199e8;background-image:linear-gradient(to bottom, #2199e8, #1a7bba)"><a href="https://acme.example/orders" style="border:0 solid #2199e8;border-radius:3px;color:#fefefe;display:inline-block;padding:8px 16px;-webkit-text-fill-color:#fefefe;vertical-align:middle;white-space:nowrap;zoom:1">Track it</a></td></tr></table>
<div style="display:flex;gap:8px;justify-content:space-between;align-items:center;flex-wrap:wrap"><div style="flex:1 1 auto;min-width:0;max-width:calc(100% - 20px)">Subtotal</div><div style="flex-shrink:0">$ 20.00</div></div>
<p class="MsoNormal" style="mso-margin-top-alt:auto;tab-stops:36.0pt;text-autospace:none;margin-bottom:.0001pt"><o:p>&nbsp;</o:p><span lang="EN-US" style="font-size:11.0pt;font-family:&quot;Calibri&quot;,sans-serif;mso-fareast-language:EN-US">Kind regards</span></p>
<p style="color:#cccccc;font-size:11px;opacity:.8">Acme, 1 Main Street</p></th><th class="expander" style="visibility:hidden;width:0"></th></tr></table></center></td></tr></table>
<div style="white-space:nowrap;font:15px courier;line-height:0">&nbsp; &nbsp; &nbsp;</div></body></html>`;

describe('the review of ordinary mail', { tags: ['approvals.findings'] }, () => {
  it.each([
    ['MJML', MJML],
    ['react-email', REACT_EMAIL],
    ['Foundation', FOUNDATION],
  ])('finds nothing that needs a look in the output of %s', (_, html) => {
    expect(kindsIn({ html }).filter((kind) => !kind.startsWith('note'))).toEqual([]);
  });
});
