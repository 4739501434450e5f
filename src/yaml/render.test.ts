import { describe, expect, test } from 'vitest'
import { OrderedDict } from '../data/mod.ts'
import { YamlError } from './errors.ts'
import { renderYaml } from './render.ts'

function failure(text: string): YamlError {
  try {
    renderYaml(text)
  } catch (error) {
    return error as YamlError
  }
  throw new Error(`Rendering ${JSON.stringify(text)} did not fail`)
}

describe('renderYaml', () => {
  test.each(['', '# nothing', 'null', 'false', '0', '[]', "''"])('makes an empty dict of %j', (text) => {
    expect(renderYaml(text)).toEqual(new Map())
  })

  test('gives OrderedDicts on every level, and lists as they are', () => {
    const value = renderYaml('a: [{b: 1}]')
    expect(value).toEqual(new OrderedDict([['a', [new OrderedDict([['b', 1]])]]]))
  })

  test('shows only problem and line of a scanner error', () => {
    const error = failure('a: b: c')
    expect(error).toBeInstanceOf(YamlError)
    expect(error).toMatchObject({
      code: 'SaltRenderError',
      message: 'mapping values are not allowed in this context',
      line: 1,
      problemAt: { line: 1, column: 5 },
    })
  })

  test('shows parser and constructor errors completely, without a separate line', () => {
    expect(failure('a: 1\na: 2')).toMatchObject({
      code: 'SaltRenderError',
      problem: "found conflicting ID 'a'",
      contextAt: { line: 1, column: 1 },
      problemAt: { line: 2, column: 1 },
      line: undefined,
    })
  })

  test.each([
    ['a: *b', 'ComposerError'],
    ['a: \x07', 'ReaderError'],
    ['!!int x', 'ValueError'],
    ['a: &a {b: *a}', 'RecursionError'],
  ])('lets the error of %j through', (text, code) => {
    expect(failure(text).code).toBe(code)
  })

  test('walks data that aliases make large only once', () => {
    const lines = ['a0: &a0 [x]']
    for (let i = 1; i < 20; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`)
    expect(renderYaml(lines.join('\n'))).toBeInstanceOf(OrderedDict)
  })

  test('refuses a chain of aliases deeper than Python can walk', () => {
    const lines = ['a0: &a0 [x]']
    for (let i = 1; i < 1100; i++) lines.push(`a${i}: &a${i} [*a${i - 1}]`)
    expect(failure(lines.join('\n')).code).toBe('RecursionError')
  })
})
