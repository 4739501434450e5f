import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import supervisord from './state.ts'

type States = Record<string, string>

async function apply(fun: string, kwargs: Record<string, Value>, states: States, answer = 'done') {
  const calls: string[] = []
  const named =
    (verb: string) =>
    ([name]: readonly Value[]): Value => {
      calls.push(name === undefined ? verb : `${verb} ${String(name)}`)
      return answer
    }
  const verbs = ['start', 'stop', 'restart', 'add', 'reread', 'update']
  const others = {
    'supervisord.status': () =>
      fromPlain(Object.fromEntries(Object.entries(states).map(([name, state]) => [name, { state }]))),
    ...Object.fromEntries(verbs.map((verb) => [`supervisord.${verb}`, named(verb)])),
  }
  const { result, comment } = toPlain(await tryState(supervisord, fun, { kwargs, others })) as Record<string, unknown>
  return { result, comment, calls }
}

test('dead stops a group of which only some programs run', async () => {
  const states = { 'jobs:a': 'RUNNING', 'jobs:b': 'STOPPED' }
  expect(await apply('dead', { name: 'jobs:' }, states)).toMatchObject({ result: true, calls: ['stop jobs:'] })
  expect(await apply('dead', { name: 'jobs:' }, { 'jobs:a': 'EXITED', 'jobs:b': 'STOPPED' })).toEqual({
    result: true,
    comment: 'Service jobs: is not running',
    calls: [],
  })
})

test('dead fails where supervisord cannot stop the program', async () => {
  const refusal = 'web: ERROR (no such process)'
  expect(await apply('dead', { name: 'web' }, { web: 'RUNNING' }, refusal)).toEqual({
    result: false,
    comment: refusal,
    calls: ['stop web'],
  })
})

test('running adds an unknown program, and mod_watch restarts a running one', async () => {
  expect((await apply('running', { name: 'web' }, {})).calls).toEqual(['reread', 'add web', 'start web'])
  expect((await apply('running', { name: 'web', update: true }, {})).calls).toEqual(['update', 'start web'])
  expect((await apply('running', { name: 'web' }, { web: 'RUNNING' })).calls).toEqual([])
  expect((await apply('mod_watch', { name: 'web' }, { web: 'RUNNING' })).calls).toEqual(['restart web'])
  expect((await apply('mod_watch', { name: 'web' }, { web: 'STOPPED' })).calls).toEqual(['start web'])
})
