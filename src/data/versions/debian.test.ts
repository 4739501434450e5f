import { describe, expect, it } from 'vitest'
import { compareDebian } from './debian.ts'

describe('compareDebian', () => {
  const cases: [string, string, number | undefined][] = [
    ['1.2', '1.10', -1],
    ['1.0', '1.0', 0],
    ['1.0-1', '1.0', 1],
    ['1.0~rc1', '1.0', -1],
    ['1.0~~', '1.0~', -1],
    ['1.0+deb12u1', '1.0', 1],
    ['1:0.1', '2.0', 1],
    ['0:1.0', '1.0', 0],
    ['1.0a', '1.0+', -1],
    ['1.001', '1.1', 0],
    ['1.0-1ubuntu1', '1.0-1', 1],
    ['2.4.56-1~deb11u2', '2.4.56-1', -1],
    ['10', '9.9.9.9', 1],
    ['', '1', -1],
    ['', '', 0],
    ['x:1', '1', undefined],
    ['1:', '1', undefined],
    ['1.0-', '1', undefined],
    ['1 2', '1', undefined],
  ]
  it.each(cases)('orders %s and %s as dpkg does', (a, b, order) => {
    expect(compareDebian(a, b)).toBe(order)
    expect(compareDebian(b, a)).toBe(order === undefined ? undefined : 0 - order)
  })
})
