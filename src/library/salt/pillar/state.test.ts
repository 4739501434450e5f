import { describe, expect, it } from 'vitest'
import { type Dict, fromPlain, type Plain } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import pillar from './state.ts'

const PILLAR = fromPlain({
  database: { password: 'swordfish', port: 5432 },
  hosts: ['a', 'b'],
  nothing: null,
}) as Dict

async function outcome(fun: string, kwargs: Record<string, Plain>) {
  const given = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, fromPlain(value)]))
  const ret = await tryState(pillar, fun, { pillar: PILLAR, kwargs: given })
  expect(ret.get('changes')).toEqual(new Map())
  return [ret.get('result'), ret.get('comment')]
}

describe('pillar.present', () => {
  it.each<[Record<string, Plain>, boolean, string]>([
    [{ name: 'database:password', value: 'swordfish' }, true, 'Pillar database:password has the value'],
    [{ name: 'database:password' }, true, 'Pillar database:password is there'],
    [{ name: 'nothing' }, true, 'Pillar nothing is there'],
    [{ name: 'database.port', value: 5432, delimiter: '.' }, true, 'Pillar database.port has the value'],
    [{ name: 'database:user', value: 'x' }, false, 'Pillar database:user is not there'],
    [
      { name: 'database:password', value: 'tuna' },
      false,
      'Pillar database:password does not have the value: database:password has another value',
    ],
    [
      { name: 'database:port', value: '5432' },
      false,
      'Pillar database:port does not have the value: database:port is of type int, not str',
    ],
    [
      { name: 'database', value: { password: 'tuna', user: 'x' } },
      false,
      'Pillar database does not have the value: database:password has another value; database:user is not there; database:port is not expected',
    ],
    [{ name: 'hosts', value: ['a'] }, false, 'Pillar hosts does not have the value: hosts has 2 items, not 1'],
    [{ name: 'hosts', value: ['a', 'c'] }, false, 'Pillar hosts does not have the value: hosts:1 has another value'],
  ])('%j', async (kwargs, result, comment) => {
    expect(await outcome('present', kwargs)).toEqual([result, comment])
  })
})

it('pillar.absent fails for an existing key', async () => {
  expect(await outcome('absent', { name: 'database:user' })).toEqual([true, 'Pillar database:user is not there'])
  expect(await outcome('absent', { name: 'database:port' })).toEqual([false, 'Pillar database:port is there'])
})
