// State runs that wait for each other (`state_queue`, `queue=True`).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestSite } from './site.ts'

let site: TestSite

beforeAll(async () => {
  site = await TestSite.open()
})
afterAll(async () => site.close())

describe('A minion with `state_queue: True`', () => {
  it('carries out several state runs one after the other, in the order of their jobs', async () => {
    const master = await site.master('master', '127.0.0.1')
    await site.minion('queued', { state_queue: true })
    const file = join(site.root, 'steps')
    const jids: string[] = []
    for (const name of ['first', 'second', 'third', 'fourth']) {
      const line = `echo ${name} begins >> ${file}; sleep 0.4; echo ${name} ends >> ${file}`
      jids.push(await master.publish('queued', 'state.single', ['cmd.run', `name=${line}`]))
    }
    for (const jid of jids) {
      const { data } = await master.event(new RegExp(`^salt/job/${jid}/ret/queued$`))
      expect(data.get('success')).toBe(true)
    }
    const names = ['first', 'second', 'third', 'fourth']
    expect(readFileSync(file, 'utf8')).toBe(names.map((name) => `${name} begins\n${name} ends\n`).join(''))
  })
})
