import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { scripted, tryFunction, tryState } from '../../../sdk/mod.ts'
import debconf from './module.ts'
import states from './state.ts'

const SELECTIONS = '# Use dash\ndash\tdash/sh\tboolean\ttrue\nmail\tmail/name\tstring\t\n'

async function call(fun: string, args: Value[] = [], kwargs: Record<string, Value> = {}) {
  const { others, ran } = scripted({ 'debconf-get-selections': SELECTIONS, 'debconf-set-selections*': '' })
  const files = {
    'cp.cache_file': ([path]: readonly Value[]) =>
      path === 'salt://none' ? false : `/cache/${String(path).split('/').at(-1)}`,
    'cp.get_template': () => '/tmp/rendered',
  }
  const answer = toPlain(await tryFunction(debconf, fun, { args, kwargs, others: { ...others, ...files } }))
  return { answer, ran }
}

test('answers are listed by package, with empty ones unless they are not wanted', async () => {
  const dash = { dash: [['dash/sh', 'boolean', 'true']] }
  expect((await call('get_selections')).answer).toEqual({ ...dash, mail: [['mail/name', 'string', '']] })
  expect((await call('get_selections', [], { fetchempty: false })).answer).toEqual(dash)
})

test('answers are set from a file of the file server and from a template', async () => {
  expect(await call('set_file', ['salt://a'])).toEqual({ answer: true, ran: ['debconf-set-selections /cache/a'] })
  expect((await call('set_file', ['salt://none'])).answer).toBe(false)
  const rendered = await call('set_template', ['salt://a', 'jinja', null, null])
  expect(rendered).toEqual({ answer: true, ran: ['debconf-set-selections /cache/rendered'] })
})

test('the state debconf.set_file sets the answers of a file', async () => {
  const apply = async (test: boolean) =>
    toPlain(
      await tryState(states, 'set_file', {
        kwargs: { name: 'x', source: 'salt://a' },
        test,
        others: { 'debconf.set_file': () => true },
      }),
    )
  expect(await apply(true)).toMatchObject({ result: null, comment: 'Debconf selections would have been set.' })
  expect(await apply(false)).toMatchObject({ result: true, comment: 'Debconf selections were set.' })
})
