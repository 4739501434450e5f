import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeMsgpack } from '../data/mod.ts'
import { fileCache } from './data-cache.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-cache-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = join(directory, 'grains', 'web1.p')
const bank = fileCache(directory).bank('grains')
const LINUX = new Map([['os', 'Linux']])

describe('a bank of the data cache', () => {
  it('is up to date after the same value came again, without another file', () => {
    bank.store('web1', LINUX)
    const { ino, mtimeMs } = statSync(file)
    bank.store('web1', new Map(LINUX))
    expect(statSync(file).ino).toBe(ino)
    expect(statSync(file).mtimeMs).toBeGreaterThanOrEqual(mtimeMs)
    expect(bank.fetch('web1')).toEqual(LINUX)
    expect(readFileSync(file)).toEqual(Buffer.from(encodeMsgpack(LINUX, 'bus')))
  })

  it.each([
    ['removed', () => rmSync(file)],
    ['changed', () => writeFileSync(file, encodeMsgpack('other', 'bus'))],
  ])('writes a known value again when its file was %s', (_, happens) => {
    bank.store('web1', LINUX)
    happens()
    bank.store('web1', LINUX)
    expect(fileCache(directory).bank('grains').fetch('web1')).toEqual(LINUX)
  })
})

it.each(['', '.', './', '..', `../${basename(directory)}2`])('%j is no bank: it is not below the cache', (name) => {
  expect(() => fileCache(directory).bank(name)).toThrow('cannot be the name of a bank')
})
