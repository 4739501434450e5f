import { describe, expect, test } from 'vitest'
import { type Plain, toPlain, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import memcached from './module.ts'
import { packed, unpacked } from './stored-value.ts'

/** A server that sends these answers in order, and records its requests. */
async function machine(...answers: string[]) {
  const sent: string[] = []
  const script = (piece: string | null): string | undefined => {
    if (piece === null) return undefined
    sent.push(piece)
    return answers.shift()
  }
  const host = await MemoryHost.with({ sockets: { '127.0.0.1:11211': script } })
  const call = async (fun: string, args: readonly Value[] = [], kwargs: Record<string, Value> = {}): Promise<Plain> =>
    toPlain(await tryFunction(memcached, fun, { args, kwargs, host }))
  return { call, sent }
}

test('functions send one request each', async () => {
  const { call, sent } = await machine('STORED\r\n', 'NOT_STORED\r\n', 'STORED\r\n', 'DELETED\r\n', 'END\r\n')
  expect(await call('set', ['colour', 'grün'], { time: 60 })).toBe(true)
  expect(await call('add', ['colour', 5])).toBe(false)
  expect(await call('replace', ['colour', 5])).toBe(true)
  expect(await call('delete', ['colour'])).toBe(true)
  expect(await call('get', ['colour'])).toBe(null)
  const requests = ['set colour 16 60 5\r\ngrün\r\n', 'add colour 2 0 1\r\n5\r\n', 'replace colour 2 0 1\r\n5\r\n']
  expect(sent).toEqual([...requests, 'delete colour\r\n', 'get colour\r\n'])
})

describe('a key cannot begin another word or request', () => {
  const hostile = ['a b', 'a\r\nflush_all', 'a\nb', 'a\tb', 'a\0', 'a\x7f', 'a\u2028b', 'a\u00a0b', '']
  const calls: [string, Value[]][] = [
    ['get', []],
    ['delete', []],
    ['set', ['x']],
    ['add', ['x']],
    ['replace', ['x']],
    ['increment', []],
    ['incr', []],
    ['decrement', []],
    ['decr', []],
  ]

  test.each(calls)('%s', async (fun, rest) => {
    const { call, sent } = await machine('END\r\n')
    for (const key of hostile) await expect(call(fun, [key, ...rest])).rejects.toThrow(/key/)
    await expect(call(fun, ['k'.repeat(251), ...rest])).rejects.toThrow('Key is 251 bytes long')
    await expect(call(fun, ['ü'.repeat(126), ...rest])).rejects.toThrow('Key is 252 bytes long')
    expect(sent).toEqual([])
  })

  test('a key of 250 bytes is taken', async () => {
    const { call } = await machine('END\r\n')
    expect(await call('get', ['ü'.repeat(125)])).toBe(null)
  })
})

test('numbers of a request are numbers', async () => {
  const { call, sent } = await machine()
  await expect(call('set', ['k', 'v'], { time: '1 1\r\nflush_all' })).rejects.toThrow('not an integer')
  await expect(call('increment', ['k', '1\r\nflush_all'])).rejects.toThrow('not an integer')
  await expect(call('increment', ['k', -1])).rejects.toThrow('Delta value must be an integer')
  await expect(call('delete', ['k'], { time: '0 noreply' })).rejects.toThrow('not an integer')
  await expect(call('get', ['k'], { port: 'x' })).rejects.toThrow('not a whole number')
  await expect(call('get', ['k'], { port: 70000 })).rejects.toThrow('port must be an integer from 1 to 65535')
  expect(sent).toEqual([])
})

test('a value with line breaks stays in its block', async () => {
  const { call, sent } = await machine('STORED\r\n')
  expect(await call('set', ['k', 'x\r\nflush_all\r\n'])).toBe(true)
  expect(sent).toEqual(['set k 16 0 14\r\nx\r\nflush_all\r\n\r\n'])
})

test('values that are neither text nor integers are refused', async () => {
  const { call, sent } = await machine()
  for (const value of [1.5, true, null, ['a'], new Map([['a', 1]])]) {
    await expect(call('set', ['k', value])).rejects.toThrow("Value of key 'k' must be a text or an integer, not")
  }
  expect(sent).toEqual([])
})

test('an answer that memcached does not give is an error', async () => {
  const answers = [
    'HTTP/1.1 400 Bad Request\r\n',
    'VALUE other 16 1\r\nx\r\nEND\r\n',
    'VALUE k 16 99999999999999\r\n',
    'VALUE k 16 1\r\nxyz\r\nEND\r\n',
    'ERROR\r\n',
    'x'.repeat(5000),
    '',
  ]
  for (const answer of answers) {
    const { call } = await machine(answer)
    await expect(call('get', ['k'])).rejects.toThrow(/^memcached (answered: |closed the connection)/)
  }
  const { call } = await machine(...Array.from({ length: 5 }, () => 'SERVER_ERROR out of memory\r\n'))
  for (const [fun, ...args] of [
    ['set', 'k', 'v'],
    ['delete', 'k'],
    ['increment', 'k'],
  ] as const) {
    await expect(call(fun, args)).rejects.toThrow('memcached answered: SERVER_ERROR out of memory')
  }
  expect(await call('status')).toBe(false)
})

test('a server that cannot be reached is said in the words of Salt, and where it is in the reason', async () => {
  const { call } = await machine()
  const refused = { message: 'memcached server is down or does not exist', code: 'CommandExecutionError' }
  await expect(call('get', ['k'], { port: 1 })).rejects.toMatchObject(refused)
  await expect(call('get', ['k'], { port: 1 })).rejects.toMatchObject({
    reason: expect.stringMatching(/^127.0.0.1:1: /),
  })
  expect(await call('status', [], { port: 1 })).toBe(false)
})

describe('values', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

  test('come back as they were stored, compressed or not', () => {
    for (const value of ['', 'grün', '5', 5, -5, 2n ** 63n, 'a'.repeat(1000)]) {
      expect(unpacked(packed('k', value))).toEqual(value)
      expect(unpacked(packed('k', value, 10))).toEqual(value)
    }
    expect(packed('k', 'a'.repeat(1000), 10).bytes.length).toBeLessThan(30)
    expect(packed('k', 'abc', 2)).toEqual(packed('k', 'abc'))
  })

  test('of other programs are text, or the bytes that are stored', () => {
    expect(unpacked({ flags: 0, bytes: bytes('text') })).toBe('text')
    expect(unpacked({ flags: 2, bytes: bytes('9 ') })).toBe(9)
    for (const [flags, text] of [
      [1, 'I01\n.'],
      [2, 'no number'],
      [8, 'not compressed'],
      [64, 'unknown'],
    ] as const) {
      expect(unpacked({ flags, bytes: bytes(text) })).toEqual(bytes(text))
    }
    expect(unpacked({ flags: 0, bytes: Uint8Array.of(0xff) })).toEqual(Uint8Array.of(0xff))
  })

  test('that unpack to very much stay packed', () => {
    const bomb = packed('k', 'a'.repeat(65 * 1024 * 1024), 1)
    expect(unpacked(bomb)).toBe(bomb.bytes)
  })
})
