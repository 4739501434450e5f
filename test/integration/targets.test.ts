// The messages to a user about a target that matches nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LocalClient } from '../../src/client/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import type { Dict } from '../../src/data/mod.ts'
import { TestSite } from './site.ts'

let site: TestSite
let opts: Dict
beforeAll(async () => {
  site = await TestSite.open()
  const { config } = await site.master('master', '127.0.0.1', { nodegroups: { web: 'web*' } })
  opts = await masterConfig({ path: `${config}/master` })
})
afterAll(() => site.close())

describe('a target without minions', () => {
  it.each([
    ['[', 'pcre', 'Failed matching available minions with pcre pattern: [: unterminated character set at position 0'],
    ['web* and (', 'compound', 'Invalid compound target: web* and ('],
    ['10.0.0.0/99', 'ipcidr', 'Invalid IP/CIDR target: 10.0.0.0/99'],
    ['nobody', 'glob', undefined],
  ])('%s (%s) is explained where something is wrong with it', async (tgt, tgtType, reason) => {
    const told: string[] = []
    const client = await LocalClient.open(opts, (level, text) => void (level === 'error' && told.push(text)))
    try {
      expect(await client.publish({ tgt, tgtType, fun: 'test.ping', arg: [] })).toBeUndefined()
      expect(told).toEqual(reason === undefined ? [] : [reason])
    } finally {
      client.close()
    }
  })
})
