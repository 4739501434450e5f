// `--subset`: some of the minions that have the function, in random order.
import { type PublishRequest, shuffled } from '../../client/mod.ts'
import { str } from '../../data/mod.ts'
import { times } from './request.ts'
import type { SaltWork } from './work.ts'

export async function subset({ client, opts }: SaltWork, request: PublishRequest, most: number): Promise<string[]> {
  const asked = await client.publish({ ...request, fun: 'sys.list_functions', arg: [], ret: '' })
  if (!asked) return []
  const wanted = str(opts.get('fun')!)
  const able: string[] = []
  for await (const { id, data } of client.collect(asked, times(opts))) {
    const functions = data?.get('return') ?? []
    if (Array.isArray(functions) && functions.includes(wanted)) able.push(id)
  }
  return shuffled(able).slice(0, most)
}
