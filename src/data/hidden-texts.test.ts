import { describe, expect, it } from 'vitest'
import { HiddenTexts } from './hidden-texts.ts'

const masked = (text: string, ...secrets: string[]): string => {
  const hidden = new HiddenTexts()
  hidden.add(secrets)
  return hidden.mask(text).replaceAll('**********', '***')
}

describe('HiddenTexts', () => {
  it('masks a secret that is no plain word everywhere', () => {
    expect(masked('xhunter2y hunter2', 'hunter2')).toBe('x***y ***')
    expect(masked('xcorrecthorseby', 'correcthorse')).toBe('x***by')
    expect(masked('abc-defghi', 'c-defg')).toBe('ab***hi')
  })

  it('masks a plain word only as a whole word', () => {
    expect(masked('install postgresql, the defaults of mypostgres', 'postgres', 'default')).toBe(
      'install postgresql, the defaults of mypostgres',
    )
    expect(masked('postgres://postgres:default@db/x_default1', 'postgres', 'default')).toBe('***://***:***@db/x_***1')
    expect(masked('default', 'default')).toBe('***')
  })

  it.each([
    ['an escaped line break', String.raw`"a\ndefault"`, String.raw`"a\n***"`],
    ['an escaped character', String.raw`\u00fcdefault \x1bdefault`, String.raw`\u00fc*** \x1b***`],
    ['a character of a URL', '?p%3Ddefault', '?p%3D***'],
    ['a colour of a terminal', '\u001b[0;32mdefault\u001b[0m', '\u001b[0;32m***\u001b[0m'],
    ['an option', 'mysql -uroot -pdefault', 'mysql -uroot -p***'],
    ['the first option', '-pdefault', '-p***'],
  ])('hides a plain word after %s', (_, text, shown) => {
    expect(masked(text, 'default')).toBe(shown)
  })

  it('hides the longest of several secrets, and a shorter one where the longer does not fit', () => {
    expect(masked('defaults', 'default', 'defaults')).toBe('***')
    expect(masked('default defaultsx', 'default', 'defaultsx')).toBe('*** ***')
    expect(masked('hunter hunterhunter1', 'hunter', 'hunterhunter1')).toBe('*** ***')
  })

  it('finds the secrets of a text by the same rule', () => {
    const hidden = new HiddenTexts()
    hidden.add(['default', 'hunter2'])
    expect(hidden.within('defaults hunter22')).toEqual(['hunter2'])
    expect(hidden.within('is default')).toEqual(['default'])
  })
})
