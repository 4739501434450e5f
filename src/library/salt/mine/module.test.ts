import { expect, test } from 'vitest'
import { type Dict, deepCopy, SaltError, type Value } from '../../../data/mod.ts'
import { type Keywords, toValue, tryFunction } from '../../../sdk/mod.ts'
import mine from './module.ts'

/** Calls functions of the mine on one minion, in turn. */
async function calls(...steps: [fun: string, args: Value[], kwargs?: Record<string, Value>][]): Promise<Value[]> {
  let store: Value = null
  const others = {
    'data.get': () => deepCopy(store),
    'data.update': ([, value]: readonly Value[]) => {
      store = value!
      return true
    },
    'match.glob': ([target]: readonly Value[]) => target === '*',
    'config.merge': () => toValue({ 'test.ping': [], alias: [{ mine_function: 'test.echo' }, 'x'], gone: [] }),
    'test.ping': () => true,
    'bad.fun': () => {
      throw new SaltError('CommandExecutionError', 'no')
    },
    'test.echo': ([text]: readonly Value[], kwargs: Keywords) =>
      text ?? (kwargs instanceof Map ? kwargs.get('text') : undefined) ?? null,
  }
  const opts = new Map<Value, Value>([['file_client', 'local']]).set('id', 'web1')
  const answers: Value[] = []
  for (const [fun, args, kwargs = {}] of steps)
    answers.push(await tryFunction(mine, fun, { args, kwargs, opts, others }))
  return answers
}

test('results are stored, by function or by alias, and returned by minion', async () => {
  const [, , failed, one, many, other] = await calls(
    ['update', []],
    ['send', ['shout'], { mine_function: 'test.echo', text: 'hey', allow_tgt: 'web*' }],
    ['send', ['bad.fun']],
    ['get', ['*', 'shout']],
    ['get', ['*', 'alias,shout']],
    ['get', ['db', 'shout']],
  )
  expect(failed).toBe(false)
  expect(one).toEqual(new Map([['web1', 'hey']]))
  expect(Object.fromEntries(many as Dict)).toEqual({
    alias: new Map([['web1', 'x']]),
    shout: new Map([['web1', 'hey']]),
  })
  expect(other).toEqual(new Map())
})

test('a configured function that exists is valid', async () => {
  const [valid] = await calls(['valid', []])
  expect([...(valid as Dict).keys()]).toEqual(['test.ping', 'alias'])
})
