import { describe, expect, test } from 'vitest'
import { parsePipe, parseShebang } from './shebang.ts'

describe('a shebang line', () => {
  test.each<[string, string | undefined]>([
    ['#!jinja|yaml\na: 1', 'jinja|yaml'],
    ['#! yaml \n', 'yaml'],
    ['#!py', 'py'],
    ['#!/bin/sh\n', undefined],
    ['a: 1\n#!yaml', undefined],
    ['', undefined],
  ])('%j names %j', (text, wanted) => {
    expect(parseShebang(text)).toBe(wanted)
  })
})

describe('a pipe', () => {
  test.each<[string, string[][]]>([
    [
      'jinja|yaml',
      [
        ['jinja', ''],
        ['yaml', ''],
      ],
    ],
    [
      ' jinja -s | yaml  -o x ',
      [
        ['jinja', '-s'],
        ['yaml', '-o x'],
      ],
    ],
    [
      'yaml_jinja',
      [
        ['jinja', ''],
        ['yaml', ''],
      ],
    ],
    [
      'json_mako',
      [
        ['mako', ''],
        ['json', ''],
      ],
    ],
  ])('%j', (pipe, wanted) => {
    expect(parsePipe(pipe).map(({ name, args }) => [name, args])).toEqual(wanted)
  })
})
