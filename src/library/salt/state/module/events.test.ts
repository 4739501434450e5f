import { describe, expect, it } from 'vitest'
import { type Dict, toPlain } from '../../../../data/mod.ts'
import { type BusMessage, type DaemonAccess, tryFunction } from '../../../../sdk/mod.ts'
import state from '../module.ts'

/** A minion with these events on its bus; `printed` collects the terminal output. */
function daemon(tags: readonly string[], printed?: string[]): DaemonAccess {
  async function* events(filter: (tag: string) => boolean): AsyncGenerator<BusMessage> {
    for (const tag of tags.filter(filter)) {
      yield {
        tag,
        data: new Map([['n', 1]]) as Dict,
        number: 1,
        origin: { kind: 'minion', name: 'm', proof: 'process' },
      }
    }
  }
  return {
    askMaster: async () => null,
    fire: async () => true,
    running: () => [],
    signal: () => false,
    events,
    ...(printed && { print: (text) => void printed.push(text) }),
  } as DaemonAccess
}

const watch = (kwargs: Record<string, string | number | boolean>, access?: DaemonAccess) =>
  tryFunction(state, 'event', { kwargs, ...(access && { context: { daemon: access } }) })

describe('state.event', () => {
  it('prints the events that match, for salt-call', async () => {
    const printed: string[] = []
    expect(await watch({ tagmatch: 'shop/*', count: 2 }, daemon(['shop/a', 'x', 'shop/b', 'shop/c'], printed))).toBe(
      null,
    )
    expect(printed).toEqual(['shop/a\t{"n": 1}\n', 'shop/b\t{"n": 1}\n'])
  })

  it('returns the events to a job', async () => {
    const found = await watch({ tagmatch: 'shop/(a|b)', count: 1 }, daemon(['x', 'shop/b']))
    expect(toPlain(found)).toEqual([{ tag: 'shop/b', data: { n: 1 } }])
  })

  it('is no job without an end', async () => {
    await expect(watch({}, daemon(['a']))).rejects.toThrow('give `count`')
  })

  it('is about the bus of this minion', async () => {
    await expect(watch({ node: 'master' }, daemon([]))).rejects.toThrow('`salt-run state.event`')
    await expect(watch({ count: 1 })).rejects.toThrow('No minion runs here that has events')
  })
})
