import { expect, test } from 'vitest'
import type { Json } from '../conformance/area.ts'
import { foretold, settled } from './promises.ts'

const answer = (result: Json, changes: Json = {}, fun = 'touch'): Json => ({
  return: { [`file_|-s_|-/f_|-${fun}`]: { result, changes, comment: '' } },
})
const promises = (broken: Array<{ promise: string }>) => broken.map(({ promise }) => promise)

test.each<[string, Json, Json, string[]]>([
  ['a change that comes', answer(null, { new: '/f' }), answer(true, { new: '/f' }), []],
  ['a change that does not come', answer(null, { new: '/f' }), answer(true), ['result', 'changes']],
  ['success, but there is a change', answer(true), answer(true, { new: '/f' }), ['result', 'changes']],
  ['another change', answer(null, { new: '/g' }), answer(true, { new: '/f' }), ['changes']],
  ['a failure that comes', answer(false), answer(false), []],
  ['a change where the state fails', answer(null, { new: '/f' }), answer(false), ['result']],
  ['a new file', answer(null, { newfile: '/f' }, 'managed'), answer(true, { diff: 'New file' }, 'managed'), []],
  ['nothing about a copy', answer(null, {}, 'copy'), answer(true, { '/f': '/g' }, 'copy'), []],
  ['states where none are compiled', answer(true), { return: ['No such file'] }, ['result']],
])('A dry run that foretells %s is judged so', (_, dry, real, broken) => {
  expect(promises(foretold(dry, real))).toEqual(broken)
})

test.each<[string, Json, Json, string[]]>([
  ['does nothing', answer(true, { new: '/f' }), answer(true), []],
  ['changes something', answer(true, { new: '/f' }), answer(true, { new: '/f' }), ['again']],
  ['fails', answer(true, { new: '/f' }), answer(false), ['again']],
  ['fails as the first did', answer(false), answer(false), []],
])('A second run that %s is judged so', (_, real, again, broken) => {
  expect(promises(settled(real, again))).toEqual(broken)
})
