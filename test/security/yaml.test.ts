// YAML that others wrote: text of some hundred bytes must not become data of gigabytes, nor keep its reader for minutes.
import { describe, expect, it } from 'vitest'
import { BrineError } from '../../src/base/mod.ts'
import { dumpJson, encodeMsgpack, type Value } from '../../src/data/mod.ts'
import { deserializeYaml, deserializeYamlex, load, renderYaml } from '../../src/yaml/mod.ts'

const repeated = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const LAUGHS = `a0: &a0 [${'lol, '.repeat(9)}]\n${repeated(9, (at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]`)}\n`

/** Lists, each of which contains all before it and itself. */
const CIRCLES = repeated(12, (at) => `- &c${at} [${Array.from({ length: at + 1 }, (_, to) => `*c${to}`).join(', ')}]`)

const READERS: Array<[string, (text: string) => unknown]> = [
  ['load', (text) => load(text)],
  ['deserializeYaml', (text) => deserializeYaml(text)],
  ['loadYamlex', (text) => deserializeYamlex(text)],
  ['renderYaml', (text) => renderYaml(text, {})],
]

describe.each(READERS)('%s', (_, read) => {
  it('refuses aliases that expand to billions of values', () => {
    expect(() => read(LAUGHS)).toThrow(/aliases stand for too much data/)
  })

  it('refuses many aliases of one long text', () => {
    expect(() => read(`a: &a ${'x'.repeat(100_000)}\nb: [${'*a, '.repeat(5000)}]`)).toThrow(/too much data/)
  })

  it('reads aliases as people write them', () => {
    read(`base: &base {a: 1}\nlist: &list [1, 2]\n${repeated(500, (at) => `k${at}: {<<: *base, l: *list}`)}`)
  })
})

it('A mapping that merges very often is refused', () => {
  const merges = `a: &a {x: 1}\nb:\n${repeated(100_000, () => '  <<: *a')}`
  expect(() => load(merges)).toThrow(/too much to merge/)
})

it('The error of too many aliases names the line', () => {
  expect(() => load(LAUGHS, { name: 'x.sls' })).toThrow(/in "x.sls", line \d+, column \d+/)
})

it('A list within itself can be read, and many of them cannot', () => {
  const circle = load('&a [*a]') as Value[]
  expect(circle[0]).toBe(circle)
  expect(() => encodeMsgpack(circle, 'bus')).toThrow(BrineError)
  expect(() => dumpJson(circle)).toThrow(BrineError)
  expect(() => load(CIRCLES)).toThrow(/too much data/)
})

it.each([
  ['brackets', '['.repeat(10_000)],
  ['braces', '{a: '.repeat(10_000)],
  ['dashes', '- '.repeat(10_000)],
  ['question marks', '? '.repeat(10_000)],
  ['indents', repeated(3000, (at) => `${' '.repeat(at)}a:`)],
  ['merges', `b: &b {${repeated(2000, (at) => `k${at}: 1,`)}}\nl: &l [${'*b,'.repeat(2000)}]\nc: {<<: *l}`],
  ['digits', `a: ${'9'.repeat(1_000_000)}`],
  ['numbers in base 60', `a: 1${':59'.repeat(300_000)}`],
])('Too many %s end in an error of the reader', (_, text) => {
  expect(() => load(text)).toThrow(BrineError)
})

it.each([
  ['python/object/apply:os.system ["id"]'],
  ['python/name:os.system x'],
  ['python/object/new:os.system ["id"]'],
])('The tag !!%s makes nothing', (tag) => {
  expect(() => load(`a: !!${tag}`)).toThrow(/could not determine a constructor/)
})
