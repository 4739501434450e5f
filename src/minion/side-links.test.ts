import { expect, it } from 'vitest'
import type { Dict } from '../data/mod.ts'
import type { MasterLink } from './master-link.ts'
import { SideLinks } from './side-links.ts'

/** Connections to masters, as far as their number and end matter. */
class Connections {
  opened = 0
  closed = 0
  sent: string[] = []
  readonly open = async (): Promise<MasterLink> => {
    this.opened++
    const ask = async (load: Dict): Promise<boolean> => {
      this.sent.push(String(load.get('jid')))
      return true
    }
    return { ask, close: () => void this.closed++ } as unknown as MasterLink
  }
}

const jobs = ['1', '2', '3'].map((jid): Dict => new Map([['jid', jid]]))

it('Requests to a master share a connection, in their order, and it ends with the last', async () => {
  const connections = new Connections()
  const links = new SideLinks({ open: connections.open, enter: async () => undefined, pause: 0 })
  await Promise.all(jobs.map((load) => links.ask('a', load)))
  expect(connections).toMatchObject({ opened: 1, closed: 1, sent: ['1', '2', '3'] })
  await links.ask('a', jobs[0]!)
  await links.ask('b', jobs[0]!)
  expect(connections).toMatchObject({ opened: 3, closed: 3 })
})

it('A master that is away is tried once for all that wait, and again after a while', async () => {
  const connections = new Connections()
  let isAway = true
  const enter = async (): Promise<void> => {
    if (isAway) throw new Error('away')
  }
  const links = new SideLinks({ open: connections.open, enter, pause: 20 })
  const tried = await Promise.allSettled(jobs.map((load) => links.ask('a', load)))
  expect(tried.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(connections).toMatchObject({ opened: 1, closed: 1, sent: [] })
  isAway = false
  await expect.poll(() => links.ask('a', jobs[0]!).catch(() => false)).toBe(true)
})

it('A connection that waits to be let in ends with the minion', async () => {
  const connections = new Connections()
  let refuse: (error: Error) => void = () => undefined
  const enter = (): Promise<void> => new Promise((_, fail) => void (refuse = fail))
  const links = new SideLinks({ open: connections.open, enter, pause: 0 })
  const asked = Promise.allSettled(jobs.map((load) => links.ask('a', load)))
  await expect.poll(() => connections.opened).toBe(1)
  links.close()
  expect(connections.closed).toBe(1)
  refuse(new Error('closed'))
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(connections).toMatchObject({ closed: connections.opened, sent: [] })
})
