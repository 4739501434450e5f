import { expect, test } from 'vitest'
import { type Dict, fromPlain, toPlain, type Value } from '../../../../data/mod.ts'
import { MemoryHost } from '../../../../host/mod.ts'
import { type StateTrial, tryState } from '../../../../sdk/mod.ts'
import states from '../state.ts'

/** A format `pairs` of a user's own that can only be written. */
const ownPlugin = async (family: string, name: string) => {
  if (family !== 'serializers' || name !== 'pairs') return undefined
  const call = async (_fun: string, [obj]: readonly Value[], options: Dict = new Map()) =>
    [...(obj as Dict)].map(([key, value]) => `${options.get('sign')}${key}=${value}`).join('\n')
  return { has: (fun: string) => fun === 'serialize', call }
}

test("file.serialize writes a user's own format, and merges only readable content", async () => {
  let written: Value = null
  const others: StateTrial['others'] = {
    'file.manage_file': (_args, kwargs) => {
      written = (kwargs instanceof Map ? kwargs.get('contents') : (kwargs as Record<string, Value>)['contents']) ?? null
      return fromPlain({ name: '/x', result: true, changes: {}, comment: '' })
    },
  }
  const host = await MemoryHost.with({ files: { '/there': 'a=1' } })
  const serialized = async (more: Record<string, Value>) => {
    const options = { dataset: fromPlain({ a: 1 }), serializer: 'pairs', serializer_opts: fromPlain([{ sign: '+' }]) }
    return toPlain(
      await tryState(states, 'serialize', { kwargs: { ...options, ...more }, others, host, context: { ownPlugin } }),
    )
  }
  expect(await serialized({ name: '/x' })).toMatchObject({ result: true })
  expect(written).toBe('+a=1\n')
  expect(await serialized({ name: '/there', merge_if_exists: true })).toMatchObject({
    result: false,
    comment: 'merge_if_exists is not supported for the pairs serializer',
  })
  expect(await serialized({ name: '/x', serializer: 'pears' })).toMatchObject({ result: false })
})
