import { describe, expect, it } from 'vitest'
import { parseXml, prettyXml, xmlLine } from './mod.ts'

const message = (text: string): string => {
  try {
    return `no error: ${xmlLine(parseXml(text))}`
  } catch (error) {
    return (error as Error).message
  }
}

describe('parseXml', () => {
  it.each([
    ['<1a/>', 'not well-formed (invalid token): line 1, column 1'],
    ['<a b="1" b="2"/>', 'duplicate attribute: line 1, column 9'],
    ['<a>\n<b></a>', 'mismatched tag: line 2, column 5'],
    ['<a>', 'no element found: line 1, column 3'],
    ['<a', 'unclosed token: line 1, column 0'],
    ['<a>&foo;</a>', 'undefined entity: line 1, column 3'],
    ['<a:b/>', 'unbound prefix: line 1, column 0'],
    ['<a/><b/>', 'junk after document element: line 1, column 4'],
  ])('refuses %s: %s', (text, wanted) => {
    expect(message(text)).toBe(wanted)
  })

  it('reads references, sections, comments and line ends', () => {
    expect(
      parseXml('<?xml version="1.0"?><!DOCTYPE a><a x="1&#10;2\n"><!-- c -->&lt;\r\n<![CDATA[<&]]><b/></a>'),
    ).toEqual({
      name: 'a',
      attributes: new Map([['x', '1\n2 ']]),
      children: ['<\n<&', { name: 'b', attributes: new Map(), children: [] }],
    })
  })

  it('expands no entity of the document', () => {
    expect(message('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>')).toMatch(/^undefined entity/)
  })
})

describe('prettyXml', () => {
  it('keeps text beside its tag and indents the rest', () => {
    const root = parseXml('<r k="&quot;"><a>x &gt; "y"</a><b/>t</r>')
    expect(prettyXml(root, ' ')).toBe(
      '<?xml version="1.0" ?>\n<r k="&quot;">\n <a>x &gt; &quot;y&quot;</a>\n <b/>\n t\n</r>\n',
    )
  })
})

describe('xmlLine', () => {
  it('writes ASCII only', () => {
    expect(xmlLine({ name: 'a', attributes: new Map([['k', 'é\n']]), children: ['😀'] })).toBe(
      '<a k="&#233;&#10;">&#128512;</a>',
    )
  })
})
