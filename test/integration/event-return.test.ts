// Events of a running master in a real returner: which ones, and how many at once.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
afterEach(() => site?.close())

async function start(options: Record<string, unknown>): Promise<TestMaster> {
  site = await TestSite.open()
  const filename = join(site.root, 'events.json')
  return site.master('master', '127.0.0.1', {
    event_return: 'rawfile_json',
    'rawfile_json.filename': filename,
    ...options,
  })
}

/** The tags in the file of the returner. */
function stored(): string[] {
  const file = join(site.root, 'events.json')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => (JSON.parse(line) as { tag: string }).tag)
}

const fire = async (master: TestMaster, ...tags: string[]): Promise<void> => {
  for (const tag of tags) await master.run('event.send', [tag])
}

const white = { event_return_whitelist: ['shop/*'], event_return_blacklist: ['shop/secret/*'] }

describe('event_return', () => {
  it('hands over each event that is wanted as it comes', async () => {
    const master = await start(white)
    await fire(master, 'shop/a', 'shop/secret/b', 'other', 'shop/c')
    await expect.poll(stored).toEqual(['shop/a', 'shop/c'])
  })

  it('gathers as many as the queue says, and hands over the rest at the end', async () => {
    const master = await start({ ...white, event_return_queue: 3 })
    await fire(master, 'shop/1', 'shop/2', 'shop/3', 'shop/4')
    await expect.poll(stored).toEqual(['shop/1', 'shop/2', 'shop/3'])
    await master.stop()
    expect(stored()).toEqual(['shop/1', 'shop/2', 'shop/3', 'shop/4'])
  })

  it('passes on events that waited long enough', async () => {
    const master = await start({ ...white, event_return_queue: 100, event_return_queue_max_seconds: 1 })
    await fire(master, 'shop/1', 'shop/2')
    await expect.poll(stored).toEqual(['shop/1', 'shop/2'])
  })
})

describe('the schedule of a master', () => {
  it('hands over to the returner of a job what its runner gave', async () => {
    const job = { function: 'test.arg', args: ['a'], kwargs: { b: 1 }, seconds: 3600, run_on_start: true }
    const filename = join(tmpdir(), `brine-scheduled-${process.pid}.json`)
    const given = { returner: 'rawfile_json', return_kwargs: { filename }, metadata: { team: 'ops' } }
    site = await TestSite.open()
    await site.master('master', '127.0.0.1', { schedule: { tell: { ...job, ...given } } })
    await expect.poll(() => existsSync(filename)).toBe(true)
    const ret = JSON.parse(readFileSync(filename, 'utf8'))
    rmSync(filename)
    expect(ret).toMatchObject({
      fun: 'test.arg',
      fun_args: ['a', { b: 1 }],
      schedule: 'tell',
      success: true,
      return: { args: ['a'], kwargs: { b: 1 } },
      metadata: { team: 'ops' },
    })
  })
})
