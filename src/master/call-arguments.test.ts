import { expect, it } from 'vitest'
import { type Dict, fromPlain } from '../data/mod.ts'
import { argumentsOf } from './call-arguments.ts'

const BOTH = { args: [1], kwargs: new Map([['a', 2]]) }

it.each([
  ['arg and kwarg', { cmd: 'runner', fun: 'test.arg', arg: [1], kwarg: { a: 2 } }, BOTH],
  [
    "both in kwarg, as of Salt's RunnerClient",
    { cmd: 'runner', fun: 'test.arg', kwarg: { arg: [1], kwarg: { a: 2 } } },
    BOTH,
  ],
  ['keywords in kwarg', { cmd: 'runner', fun: 'test.arg', kwarg: { a: 2 } }, { ...BOTH, args: [] }],
  ['a keyword named arg in kwarg', { fun: 'x.y', kwarg: { arg: 1 } }, { args: [], kwargs: new Map([['arg', 1]]) }],
  ["keywords beside the command's own", { fun: 'x.y', token: 't', a: 2 }, { ...BOTH, args: [] }],
  [
    'keywords beside credentials',
    { fun: 'x.y', eauth: 'sharedsecret', username: 'u', password: 'p', sharedsecret: 'p', key: 'k', token: 't', a: 2 },
    { ...BOTH, args: [] },
  ],
])('arguments of a call come as %s', (_, load, wanted) => {
  expect(argumentsOf(fromPlain(load) as Dict)).toEqual(wanted)
})
