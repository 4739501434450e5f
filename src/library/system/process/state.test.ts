import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { type Keywords, tryState } from '../../../sdk/mod.ts'
import process from './state.ts'

/** A machine on which only a search of whole command lines finds the processes. */
async function absent(kwargs: Record<string, Value>, test: boolean) {
  const isFull = (given: Keywords): boolean => (given as Record<string, Value>)['full'] === true
  const sent: Keywords[] = []
  const others = {
    'ps.pgrep': ([name]: readonly Value[], given: Keywords): Value =>
      isFull(given) && name === '/srv/app.py' ? [7, 9] : null,
    'ps.pkill': ([name]: readonly Value[], given: Keywords): Value => {
      sent.push(given)
      return isFull(given) && name === '/srv/app.py' ? fromPlain({ killed: [7, 9] }) : null
    },
  }
  const { result, comment, changes } = toPlain(await tryState(process, 'absent', { kwargs, others, test })) as Record<
    string,
    unknown
  >
  return { result, comment, changes, sent }
}

test('process.absent kills the processes that its dry run names', async () => {
  const name = '/srv/app.py'
  expect(await absent({ name }, true)).toEqual({
    result: null,
    comment: '2 processes will be killed',
    changes: {},
    sent: [],
  })
  expect(await absent({ name, user: 'www', signal: 9 }, false)).toEqual({
    result: true,
    comment: 'Killed 2 processes',
    changes: { killed: [7, 9] },
    sent: [{ user: 'www', signal: 9, full: true }],
  })
  expect(await absent({ name: 'none' }, false)).toMatchObject({
    result: true,
    comment: 'No matching processes running',
    changes: {},
  })
})
