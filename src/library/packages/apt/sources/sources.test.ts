import { describe, expect, it } from 'vitest'
import { Deb822Source } from './deb822.ts'
import { SourceLine } from './source-line.ts'
import { combineComments, expandRepoDefinition, parseSources, sameSource, sourceTexts, stripUri } from './sources.ts'

const bookworm = { os: 'Debian', codename: 'bookworm' }

describe('SourceLine', () => {
  it('reads options, components and a comment', () => {
    const entry = new SourceLine('deb [ arch=amd64,i386 signed-by=/k.gpg ] https://x stable main contrib # ours')
    expect(entry).toMatchObject({
      type: 'deb',
      architectures: ['amd64', 'i386'],
      signedby: '/k.gpg',
      uri: 'https://x',
      dist: 'stable',
      comps: ['main', 'contrib'],
      comment: ' ours',
    })
    expect(entry.text()).toBe('deb [arch=amd64,i386 signed-by=/k.gpg] https://x stable main contrib # ours')
  })

  it('is switched off when it is commented out, and written so', () => {
    expect(new SourceLine('#deb http://x y main').text()).toBe('# deb http://x y main')
  })

  it.each(['', '# just words', 'deb http://x', 'deb [arch=amd64 http://x y'])('leaves %j as it is', (line) => {
    expect(new SourceLine(line)).toMatchObject({ invalid: true })
  })
})

describe('sources', () => {
  const text =
    '# ours\nTypes: deb deb-src\nURIs: http://x\nSuites: a b\nComponents: main\n\nTypes: deb\nURIs: http://y\nSuites: c\n'

  it('in deb822 form stand for several types and suites, and are written as they were', () => {
    const sources = parseSources('/etc/apt/sources.list.d/x.sources', text, () => undefined)
    expect(sources[0]).toBeInstanceOf(Deb822Source)
    expect(sources[0]).toMatchObject({ types: ['deb', 'deb-src'], suites: ['a', 'b'], dist: 'a b' })
    expect(sourceTexts(sources).get('/etc/apt/sources.list.d/x.sources')).toBe(text)
  })

  it('are the same whether or not the address ends with a slash', () => {
    expect(sameSource(new SourceLine('deb http://x/ a main'), new SourceLine('deb http://x a main'))).toBe(true)
    expect(stripUri('deb http://x/ a main')).toBe('deb http://x a main')
  })

  it('end at a line that cannot be read', () => {
    const failures: unknown[] = []
    const sources = parseSources('/x.list', 'deb http://x a main\ndeb [a b=c] http://x a\n', (e) => failures.push(e))
    expect([sources.length, failures.length]).toEqual([1, 1])
  })
})

describe('expandRepoDefinition', () => {
  it('takes what a state says beside the definition', () => {
    const options = new Map([['comps', 'main, universe']])
    const expanded = expandRepoDefinition('deb http://x stable main', options, bookworm)
    expect(expanded.get('comps')).toEqual(['main', 'universe'])
    expect(expanded.get('line')).toBe('deb http://x stable main universe')
  })

  it('knows personal archives on Ubuntu', () => {
    const expanded = expandRepoDefinition('ppa:a/b', new Map(), { os: 'Ubuntu', codename: 'noble' })
    expect(expanded.get('file')).toBe('/etc/apt/sources.list.d/a-b-noble.list')
    expect(expanded.get('line')).toBe('deb http://ppa.launchpad.net/a/b/ubuntu noble main')
  })
})

it('combineComments makes one line of a list', () => {
  expect(combineComments(['one ', 2])).toBe('one  2')
})
