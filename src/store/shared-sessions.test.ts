import { beforeEach, expect, test } from 'vitest'
import { encodeMsgpack, type Value } from '../data/mod.ts'
import { SESSION_IDLE, type SharedRecords, SharedSessions, sessionKey } from './shared-sessions.ts'

const ID = 'ab'.repeat(20)
const SESSION = { token: 'f0'.repeat(32), user: 'ann', eauth: 'pam', expires: 200_000 }

let kept: Map<string, Value>
let time: number
let records: SharedRecords

/** The sessions on one of the masters. */
const master = (): SharedSessions =>
  new SharedSessions(
    records,
    () => time,
    (error) => {
      throw error
    },
  )

beforeEach(() => {
  kept = new Map()
  time = 1000
  records = {
    fetch: (key) => kept.get(key),
    list: () => [...kept.keys()],
    store: async (key, value) => void kept.set(key, value),
    remove: async (key) => void kept.delete(key),
  }
})

test('A session that one master made is found on another, and ends on all', async () => {
  await master().make(ID, SESSION)
  expect(master().find(ID)).toEqual(SESSION)
  expect(master().find('cd'.repeat(20))).toBeUndefined()
  expect(master().count()).toBe(1)
  await master().end(ID)
  expect(master().find(ID)).toBeUndefined()
  expect(kept.size).toBe(0)
})

test('Records contain neither the id of a session nor its token', async () => {
  await master().make(ID, SESSION)
  const [[name, record] = []] = [...kept]
  const seen = `${name} ${Buffer.from(encodeMsgpack(record!, 'bus')).toString('latin1')}`
  expect(seen).not.toContain(ID)
  expect(seen).not.toContain(SESSION.token)
  // a record under the name of another session opens nothing
  const other = 'ef'.repeat(20)
  kept.set(sessionKey(other), record!)
  expect(master().find(other)).toBeUndefined()
})

test('A session lasts as long as some master is asked for it, and until its token expires', async () => {
  const [here, there] = [master(), master()]
  await here.make(ID, SESSION)
  for (let at = 0; at < 3; at++) {
    time += SESSION_IDLE - 1000
    expect(here.find(ID)?.user).toBe('ann')
  }
  // the other master never got a request, and knows of the use nevertheless
  there.prune()
  expect(there.find(ID)?.user).toBe('ann')
  time = SESSION.expires + 1
  expect(there.find(ID)).toBeUndefined()
  there.prune()
  expect(kept.size).toBe(0)
})

test('The note of a use that comes after the end of a session does not bring it back', async () => {
  const here = master()
  await here.make(ID, SESSION)
  time += 1000
  const late: Array<[string, Value]> = []
  records.store = async (key, value) => void late.push([key, value])
  here.find(ID)
  await here.end(ID)
  for (const [key, value] of late) kept.set(key, value)
  expect(late).toHaveLength(1)
  expect(here.find(ID)).toBeUndefined()
  here.prune()
  expect(kept.size).toBe(0)
})
