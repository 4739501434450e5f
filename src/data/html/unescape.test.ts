import { expect, test } from 'vitest'
import { unescapeHtml } from './unescape.ts'

test.each([
  ['&lt;b&gt; &amp; &copy; &NotEqualTilde;', '<b> & © ≂̸'],
  ['&notit; &notin; &amp', '¬it; ∉ &'],
  ['&#65;&#x42;&#67', 'ABC'],
  ['&#128;&#0;&#xD800;&#1;', '€\ufffd\ufffd'],
  ['&nosuch; &;', '&nosuch; &;'],
])('unescapeHtml reads %j as HTML5 does', (text, result) => {
  expect(unescapeHtml(text)).toBe(result)
})
