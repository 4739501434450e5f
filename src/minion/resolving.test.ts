import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { resolveMaster } from './resolving.ts'

function resolving(options: Record<string, Value>, failures: number, failover = false) {
  let asked = 0
  const lines: string[] = []
  const answer = resolveMaster('salt', {
    opts: new Map(Object.entries(options)),
    log: (_level, text) => lines.push(text),
    failover,
    signal: new AbortController().signal,
    find: async () => {
      if (asked++ < failures) throw new Error('ENOTFOUND')
      return '10.0.0.1'
    },
  })
  return { answer, lines, count: () => asked }
}

test('An unknown name is resolved again until it is known', async () => {
  const { answer, count } = resolving({ retry_dns: 0.01 }, 3)
  expect(await answer).toBe('10.0.0.1')
  expect(count()).toBe(4)
})

test('A name is given up after retry_dns_count attempts', async () => {
  const { answer, lines } = resolving({ retry_dns: 0.01, retry_dns_count: 2 }, 9)
  await expect(answer).rejects.toThrow("Master address: 'salt' could not be resolved.")
  expect(lines.filter((line) => line.includes('Retrying in 0.01 seconds'))).toHaveLength(2)
})

test('With retry_dns 0 an unknown name is taken for this machine', async () => {
  expect(await resolving({ retry_dns: 0 }, 9).answer).toBe('127.0.0.1')
})

test('With other masters to try an unknown name is given up at once', async () => {
  await expect(resolving({ retry_dns: 30 }, 9, true).answer).rejects.toThrow('could not be resolved')
})
