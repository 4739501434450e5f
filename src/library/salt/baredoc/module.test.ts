import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import baredoc from './module.ts'

// results of sys.argspec and sys.state_argspec
const SPECIFICATION = fromPlain({
  'at.atrm': { args: [], varargs: true, kwargs: null, defaults: null },
  'at.atq': { args: ['tag'], varargs: null, kwargs: true, defaults: [null] },
  'at.present': { args: ['name', 'unique_tag'], varargs: null, kwargs: null, defaults: [false] },
})

async function call(fun: string, args: Value[]) {
  const asked: unknown[] = []
  const answer = (name: string, value: Value) => (given: readonly Value[]) => {
    asked.push([name, ...given])
    return value
  }
  const others = {
    'sys.argspec': answer('sys.argspec', SPECIFICATION),
    'sys.state_argspec': answer('sys.state_argspec', SPECIFICATION),
    'sys.doc': answer('sys.doc', fromPlain({ 'at.b': 'B.', 'at.a': 'A.' })),
    'sys.state_doc': answer('sys.state_doc', fromPlain({ at: 'Jobs.' })),
  }
  return { answer: toPlain(await tryFunction(baredoc, fun, { args, others })), asked }
}

test('list_modules and list_states give arguments with defaults, or names alone', async () => {
  const at = [
    { atq: { tag: null, kwargs: 'kwargs' } },
    { atrm: { args: 'args' } },
    { present: { name: null, unique_tag: false } },
  ]
  expect(await call('list_modules', ['at'])).toEqual({ answer: { at }, asked: [['sys.argspec', 'at']] })
  expect(await call('list_states', [])).toEqual({ answer: { at }, asked: [['sys.state_argspec']] })
  expect((await call('list_states', ['at', true])).answer).toEqual({ at: ['atq', 'atrm', 'present'] })
  await expect(call('list_modules', ['at.atq'])).rejects.toThrow('Function name given')
})

test('module_docs and state_docs give texts in order', async () => {
  const docs = await call('module_docs', ['at.a', 'at.b'])
  expect(Object.keys(docs.answer as object)).toEqual(['at.a', 'at.b'])
  expect(await call('state_docs', [])).toEqual({ answer: { at: 'Jobs.' }, asked: [['sys.state_doc']] })
})
