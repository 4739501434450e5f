import { beforeAll, expect, test, vi } from 'vitest'
import type { LiveEvent } from '../../live/stream.ts'

// parts of the console read the address of the page and listen to it
let linksOf: (event: LiveEvent) => unknown
beforeAll(async () => {
  vi.stubGlobal('location', new URL('http://master/console/'))
  vi.stubGlobal('addEventListener', () => {})
  linksOf = (await import('./facts.ts')).linksOf
})

test.each(['20261119205304863580', '20261119205304863580_417'])(
  'a return links to its job %s and its minion',
  (jid) => {
    const event = { number: 1, tag: `salt/job/${jid}/ret/web1`, data: {}, origin: null, stamp: '' }
    expect(JSON.stringify(linksOf(event))).toContain(jid)
    expect(JSON.stringify(linksOf(event))).toContain('web1')
  },
)
