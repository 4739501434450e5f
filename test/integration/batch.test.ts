// A batch is the master's: it goes on without the program that began it, and when the master starts again.
import { expect, test } from 'vitest'
import { salt } from '../../src/cli/mod.ts'
import { toPlain } from '../../src/data/mod.ts'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

test('A batch that is stopped fails, and says why', async () => {
  const site = await TestSite.open()
  try {
    const master = await site.master()
    for (const id of ['web1', 'web2']) await site.minion(id)
    for (const words of [
      ['-b', '1'],
      ['-b', '1', '--static'],
    ]) {
      let said = ''
      const streams = { out: () => undefined, err: (text: string) => void (said += text), terminal: false }
      master.seen.splice(0)
      const exit = salt(['-c', master.config, ...words, '*', 'cmd.run', 'sleep 2; echo done'], streams)
      const { tag } = await master.event(/^salt\/batch\/\d+\/progress$/)
      await master.run('batch.stop', [tag.split('/')[2]!])
      expect(await exit).not.toBe(0)
      expect(said).toContain('Batch run stopped due to stop')
    }
  } finally {
    await site.close()
  }
})

test('A batch goes on when the master starts again in the midst of it', async () => {
  const site = await TestSite.open()
  try {
    const master = await site.master()
    for (const id of ['web1', 'web2', 'web3']) await site.minion(id)
    const streams = { out: () => undefined, err: () => undefined, terminal: false }
    await salt(['-c', master.config, '-b', '1', '--async', '*', 'cmd.run', 'sleep 1; echo done'], streams)
    const { tag } = await master.event(/^salt\/batch\/\d+\/progress$/)
    const jid = tag.split('/')[2]!
    await master.event(new RegExp(`^salt/job/${jid}/new$`))
    await master.stop()
    await master.start()
    await master.event(new RegExp(`^salt/batch/${jid}/complete$`))
    const answered = master.seen.filter(({ tag }) => tag.startsWith(`salt/job/${jid}/ret/`))
    expect(answered.map(({ data }) => `${data.get('id')}: ${data.get('return')}`).sort()).toEqual([
      'web1: done',
      'web2: done',
      'web3: done',
    ])
    const begun = master.seen.filter((event) => event.tag === `salt/job/${jid}/new`)
    expect(begun.flatMap(({ data }) => toPlain(data.get('minions')!)).sort()).toEqual(['web1', 'web2', 'web3'])
  } finally {
    await site.close()
  }
})

test('A batch of minions of which none answers names them', async () => {
  const site = await TestSite.open()
  try {
    const master = await site.master('master', '127.0.0.1', {
      timeout: 1,
      gather_job_timeout: 1,
      // wait for no minion that lost its connection a moment ago
      job_delivery_window: 0,
    })
    const minion = await site.minion('web1')
    await minion.close()
    for (const words of [
      ['-b', '1'],
      ['-b', '1', '--async'],
      ['-b', '1', '--static'],
    ]) {
      let said = ''
      const streams = { out: () => undefined, err: (text: string) => void (said += text), terminal: false }
      await salt(['-c', master.config, ...words, '*', 'test.ping'], streams)
      expect(said).toContain('Minion web1 did not respond. No job will be sent.')
    }
  } finally {
    await site.close()
  }
})

test('A program that waits for a batch stays while the master starts again', async () => {
  const site = await TestSite.open()
  try {
    const master = await site.master()
    for (const id of ['web1', 'web2']) await site.minion(id)
    let printed = ''
    const streams = { out: (text: string) => void (printed += text), err: () => undefined, terminal: false }
    const exit = salt(['-c', master.config, '-b', '1', '*', 'cmd.run', 'sleep 1; echo done'], streams)
    await until('the program shows that the batch runs', () => printed.includes('Executing run on'))
    await master.stop()
    await master.start()
    expect(await exit).toBe(0)
    for (const id of ['web1', 'web2']) expect(printed).toMatch(new RegExp(`${id}:\\s+done`))
  } finally {
    await site.close()
  }
})
