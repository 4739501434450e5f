import { describe, expect, test } from 'vitest'
import { compareLoose, matchVersion, versionHolds } from './loose.ts'
import { comparePep440, type Specifier, specifiersAccept } from './pep440.ts'
import { parseRequirement } from './requirement.ts'
import { compareRpm } from './rpm.ts'

const orders = (text: string): [string, string, string][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' ') as [string, string, string])

const SIGN: Record<string, number> = { '<': -1, '=': 0, '>': 1 }

describe('the order of RPM versions', () => {
  test.each(
    orders(`
      1.0 = 1.0-1
      1.0-1 < 1.0-2
      2:1.0 > 1.9
      1.0~rc1 < 1.0
      1.0^git1 > 1.0
      1.0^1~2 < 1.0^1
      1.10 > 1.9
      001 = 1
      1..2 = 1.2
      1.a < 1.1
      1.2-3.el8 > 1.2-3.el7_9
      x:1 = 1
      1.0b2 > 1.0a`),
  )('%s %s %s', (a, sign, b) => expect(compareRpm(a, b)).toBe(SIGN[sign]))
})

describe('the order of versions of no scheme', () => {
  test.each(
    orders(`
      1.10 > 1.9
      2.0rc1 > 2.0
      1.0-1 < 1.0.1
      3.2.13 < 3.4.3
      A1 > 1.0`),
  )('%s %s %s', (a, sign, b) => expect(compareLoose(a, b)).toBe(SIGN[sign]))

  test('holds for comparisons, and for nothing without an order', () => {
    expect(versionHolds('1.0', '>=', '0.9')).toBe(true)
    expect(versionHolds('1.0', '~', '0.9')).toBe(false)
    expect(versionHolds('', '==', '')).toBe(false)
    expect(matchVersion('>=1.1', ['1.0', '1.1', '2.0'])).toBe('1.1')
    expect(matchVersion('2.0', ['1.0', '2.0'])).toBe('2.0')
  })
})

describe('the order of Python versions', () => {
  test.each(
    orders(`
      1.0 = 1.0.0
      1.0a1.dev3 < 1.0a1
      1.0.dev1 < 1.0a1
      1.0rc1 < 1.0
      1.0-1 = 1.0.post1
      1!0.5 > 9
      1.0+local < 1.0+2
      v1.0 = 1.0
      1.0_alpha = 1.0a0`),
  )('%s %s %s', (a, sign, b) => expect(comparePep440(a, b)).toBe(SIGN[sign]))

  test.each<[string, Specifier[], boolean | undefined]>([
    ['1.0.post1', [['>', '1.0']], false],
    ['1.0+local', [['==', '1.0']], true],
    ['1.0rc1', [['>=', '0.9']], false],
    ['1.0rc1', [['>=', '0.9a1']], true],
    ['2.2.5', [['~=', '2.0']], true],
    ['2.2.5', [['~=', '2.0.1']], false],
    ['1.10', [['==', '1.*']], true],
    ['1.1', [['!=', '1.0.*']], true],
    [
      '2.0',
      [
        ['>=', '1'],
        ['<', '2.0'],
      ],
      false,
    ],
    ['strange', [['==', '1']], undefined],
  ])('%s is judged by %j', (version, specifiers, verdict) => {
    expect(specifiersAccept(version, specifiers)).toBe(verdict)
  })
})

describe('a requirement', () => {
  test.each<[string, ReturnType<typeof parseRequirement>]>([
    ['Foo_Bar[x,y]>=1.0', { name: 'Foo_Bar', specifiers: [['>=', '1.0']] }],
    [
      'foo (>=1,<2)',
      {
        name: 'foo',
        specifiers: [
          ['>=', '1'],
          ['<', '2'],
        ],
      },
    ],
    ['foo==1.0; python_version<"3"', { name: 'foo', specifiers: [['==', '1.0']] }],
    ['git+https://h/x.git#egg=foo', { name: 'foo', specifiers: [] }],
    ['https://h/foo-1.0.tar.gz', { name: undefined, specifiers: [] }],
    ['/tmp/foo-1.0-py3-none-any.whl', { name: 'foo', specifiers: [['==', '1.0']] }],
    ['./foo', { name: undefined, specifiers: [], directory: './foo' }],
    ['foo bar', "Invalid requirement: 'foo bar'"],
    ['foo=1.0', "Invalid requirement: 'foo=1.0'\nHint: = is not a valid operator. Did you mean == ?"],
  ])('%s is read', (line, parsed) => expect(parseRequirement(line)).toEqual(parsed))
})
