import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { palette } from './palette.ts'

test('palette has no codes without colour', () => {
  expect(new Set(Object.values(palette(false)))).toEqual(new Set(['']))
})

test('palette resets before each colour, and light ones are bold', () => {
  const { RED, LIGHT_RED, ENDC } = palette(true)
  expect([RED, LIGHT_RED, ENDC]).toEqual(['\x1b[0;31m', '\x1b[0;1;31m', '\x1b[0;0m'])
})

test('palette takes one colour for all, and ignores a name it does not know', () => {
  const { GREEN, ENDC } = palette('RED')
  expect([GREEN, ENDC]).toEqual(['\x1b[0;31m', '\x1b[0;0m'])
  expect(palette('PUCE')).toEqual(palette(true))
})

test('palette lets a theme replace colours', () => {
  const theme = new Map<Value, Value>([
    ['GREEN', '38;5;2'],
    ['OWN', 7],
  ])
  expect(palette(true, theme).GREEN).toBe('\x1b[38;5;2m')
  expect(palette(true, theme).RED).toBe('\x1b[0;31m')
  expect(palette('OWN', theme).RED).toBe('\x1b[7m')
})
