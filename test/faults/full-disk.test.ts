// What operators see when the disk of a master or of a minion is full: the cause, at once, and everything works again
// when there is space. The daemons are the built programs, each with its cache on a small separate disk.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BusClient, type BusEvent } from '../../src/bus/mod.ts'
import { Cluster, type Ran } from '../live/cluster.ts'
import { until } from '../until.ts'
import { canMount, SmallDisk } from './small-disk.ts'

const NO_SPACE = 'no space left on the disk'

class Site {
  readonly cluster = new Cluster({
    scenario: 'full-disk',
    description: '',
    setup: {
      master: { auto_accept: true },
      minions: { web1: { config: { return_retry_timer: 1, return_retry_timer_max: 1 } } },
    },
    steps: [],
    events: [],
  })
  disk!: SmallDisk
  readonly events: BusEvent[] = []
  private bus: BusClient | undefined

  /** Start both, one of them with its cache on a small disk. */
  async open(cacheOf: 'master' | 'web1'): Promise<void> {
    const { cluster } = this
    await cluster.prepare()
    const folder = cacheOf === 'master' ? 'master' : join('minions', 'web1')
    this.disk = new SmallDisk(join(cluster.root, folder, 'cache'))
    cluster.start('master')
    const paths = {
      pub: join(cluster.sockets, 'master_event_pub.ipc'),
      pull: join(cluster.sockets, 'master_event_pull.ipc'),
    }
    await until('the master listens', () => existsSync(paths.pull))
    this.bus = await BusClient.open({ paths })
    void this.listen(this.bus)
    cluster.start('web1')
    await until('the minion answers', async () => (await this.salt('test.ping')).stdout.includes('true'))
  }

  salt(words: string): Promise<Ran> {
    return this.cluster.run(`salt --out=json web1 ${words}`)
  }

  /** The data of the events of a tag. */
  told(tag: RegExp): BusEvent[] {
    return this.events.filter((event) => tag.test(event.tag))
  }

  async close(): Promise<void> {
    this.bus?.close()
    for (const name of ['web1', 'master']) await this.cluster.stop(name)
    this.disk?.unmount()
    await this.cluster.close()
  }

  private async listen(bus: BusClient): Promise<void> {
    while (bus.isOpen) {
      const event = await bus.next(1)
      if (event) this.events.push(event)
    }
  }
}

/** Return how often a text contains another. */
const count = (text: string, part: string): number => text.split(part).length - 1

describe.runIf(canMount())('a master with a full disk', () => {
  const site = new Site()
  const run = (line: string): Promise<Ran> => site.cluster.run(line)
  beforeAll(async () => {
    await site.open('master')
    site.disk.fill()
  })
  afterAll(() => site.close())

  it.each(["salt '*' test.ping", "salt -b 1 '*' test.ping", "salt --async '*' test.ping"])(
    '%s fails at once and names the cause',
    async (line) => {
      const { status, stdout, stderr } = await run(line)
      expect([status, stdout + stderr]).toEqual([
        2,
        expect.stringMatching(/^Cannot write \S+: no space left on the disk\n$/),
      ])
    },
  )

  it('a runner that needs no space works, and one that does names the cause; neither shows a stack', async () => {
    const reading = await run('salt-run --out=json jobs.list_jobs')
    expect([reading.status, reading.stdout]).toEqual([0, expect.stringContaining('test.ping')])
    const publishing = await run('salt-run manage.up')
    expect(publishing.status).toBe(1)
    expect(publishing.stdout).toMatch(/^Cannot write \S+: no space left on the disk\n$/)
    expect(reading.stderr + publishing.stderr).not.toMatch(/^ +at /m)
  })

  it('a minion gets its pillar, fires events, and hears why its data cannot be kept', async () => {
    expect(await run('salt-call --out=json pillar.items')).toMatchObject({ status: 0 })
    const event = await run('salt-call --out=json event.send site/up')
    expect([event.status, event.stdout]).toEqual([0, expect.stringContaining('true')])
    expect(event.stderr).toContain(
      `The master did not take the return: The master could not carry out the request: ${NO_SPACE}`,
    )
    await until('the event came', () => site.told(/^site\/up$/).length > 0)
    const mine = await run('salt-call mine.send up mine_function=test.ping')
    expect([mine.status, mine.stderr]).toEqual([1, expect.stringContaining(NO_SPACE)])
    // no path of the master goes to a minion
    expect(event.stderr + mine.stderr).not.toContain('jobs.db')
  })

  it('reports it once in the log and by an event, and once when there is space; then all works', async () => {
    const [failed] = site.told(/^salt\/master\/[^/]+\/storage\/failed$/)
    expect(failed?.data.get('message')).toMatch(/^Cannot write \S+: no space left on the disk$/)
    expect(count(site.cluster.log('master'), 'Free space on that disk')).toBe(1)
    expect(site.cluster.log('master')).not.toMatch(/^ +at /m)
    site.disk.free()
    await until(
      'the master tells of the space',
      () => site.told(/^salt\/master\/[^/]+\/storage\/recovered$/).length > 0,
    )
    expect(site.told(/^salt\/master\/[^/]+\/storage\/failed$/)).toHaveLength(1)
    expect((await site.salt('test.ping')).stdout).toContain('true')
  })

  it.each([
    ['returns of a job wait at the minion and are taken', '', 'job/<jid>/ret/web1'],
    ['a batch goes on', '-b 1', 'batch/<jid>/complete'],
  ])('%s when there is space', async (_what, option, tag) => {
    const go = join(site.cluster.root, `go-${option}`.trim())
    const job = `while [ ! -e "${go}" ]; do sleep 0.1; done`
    const { stdout } = await run(`salt --out=json ${option} --async '*' cmd.run '${job}'`)
    const [jid] = /\d{20}/.exec(stdout) ?? []
    await until('the job runs', async () => (await site.salt('saltutil.running')).stdout.includes(String(jid)))
    const inVain = (): number => count(site.cluster.log('web1'), 'The master did not take a return')
    const before = inVain()
    site.disk.fill()
    writeFileSync(go, '')
    await until('the minion could not return', () => inVain() > before)
    expect(site.cluster.log('web1')).toContain(NO_SPACE)
    site.disk.free()
    await until('it goes on', () => site.told(new RegExp(`^salt/${tag.replace('<jid>', jid!)}$`)).length > 0)
  })

  it('starts, and refuses what it cannot store with the cause', async () => {
    site.disk.fill()
    await site.cluster.stop('master')
    site.cluster.start('master')
    await until('the master answers', async () => {
      const { status, stdout } = await run("salt '*' test.ping")
      return status === 2 && stdout.includes(`jobs.db: ${NO_SPACE}`)
    })
  })
})

describe.runIf(canMount())('a minion with a full disk', () => {
  const site = new Site()
  beforeAll(async () => {
    await site.open('web1')
    site.disk.fill()
  })
  afterAll(() => site.close())

  it('jobs run and return, so that space can be made by one', async () => {
    const { status, stdout } = await site.salt('cmd.run "echo here"')
    expect([status, stdout]).toEqual([0, expect.stringContaining('here')])
    const begun = await site.salt('--async test.ping')
    const [jid] = /\d{20}/.exec(begun.stdout) ?? []
    await until('the job returns', () => site.told(new RegExp(`^salt/job/${jid}/ret/web1$`)).length > 0)
  })

  it('reports it to its master once, and once when there is space', async () => {
    await until('the master hears of it', () => site.told(/^salt\/minion\/web1\/storage\/failed$/).length > 0)
    expect(count(site.cluster.log('web1'), 'Free space on that disk')).toBe(1)
    const cleared = await site.salt(`cmd.run "rm ${join(site.cluster.root, 'minions/web1/cache/filler')}"`)
    expect(cleared.status).toBe(0)
    await until('the master hears of the space', () => site.told(/^salt\/minion\/web1\/storage\/recovered$/).length > 0)
  })
})
