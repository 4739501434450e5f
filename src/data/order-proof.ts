// Proof that a command to the reactor comes from a program that can read the master's key, without sending the key over
// the bus: a keyed hash of the tag and the command.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { str } from './repr.ts'
import type { Dict } from './value.ts'

const UNSIGNED = new Set(['key', '_stamp'])

export function orderProof(key: string, tag: string, data: Dict): string {
  const ordered = new Map([...data].filter(([name]) => !UNSIGNED.has(str(name))))
  return createHmac('sha256', key)
    .update(`${tag}\n${str(ordered)}`)
    .digest('hex')
}

/** Whether `data` holds the proof or, as in Salt, the key itself. An empty key is public and proves nothing. */
export function isProven(key: string, tag: string, data: Dict): boolean {
  if (key === '') return false
  const given = Buffer.from(str(data.get('key') ?? ''))
  return [orderProof(key, tag, data), key].some((wanted) => {
    const expected = Buffer.from(wanted)
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}
