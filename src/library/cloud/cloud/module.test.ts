import { describe, expect, it } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { type MasterFunctionCall, type MasterReach, tryFunction } from '../../../sdk/mod.ts'
import module from './module.ts'

/** A master whose runner returns these results, and the requests to it. */
function beside(answers: Record<string, unknown>, success = true) {
  const asked: unknown[] = []
  const call = async (_family: string, { name, kwargs }: MasterFunctionCall) => {
    asked.push([name, toPlain(new Map<Value, Value>(kwargs))])
    return { jid: '1', value: fromPlain(answers[name] ?? null), success, retcode: success ? 0 : 1 }
  }
  const master = { user: 'root', call } as unknown as MasterReach
  const ask = async (fun: string, args: Value[], kwargs: Record<string, Value> = {}) =>
    toPlain(await tryFunction(module, fun, { args, kwargs, context: { master } }))
  return { asked, ask }
}

const MACHINES = { aws: { ec2: { web1: { id: 'i-1' } } } }

describe('the module cloud', () => {
  it('calls the runner of the master, and finds machines in its results', async () => {
    const { asked, ask } = beside({ 'cloud.query': MACHINES, 'cloud.full_query': MACHINES })
    expect(await ask('has_instance', ['web1'])).toBe(true)
    expect(await ask('has_instance', ['web1', 'gce'])).toBe(false)
    expect(await ask('get_instance', ['web1', 'aws'])).toEqual({ id: 'i-1' })
    expect(await ask('get_instance', ['web2'])).toBeNull()
    for (const fun of ['query', 'full_query', 'select_query', 'list_sizes', 'list_images', 'list_locations']) {
      await ask(fun, [])
    }
    expect(asked).toContainEqual(['cloud.select_query', {}])
    expect(asked).toContainEqual(['cloud.list_sizes', { provider: 'all' }])
  })

  it('makes, changes and destroys machines', async () => {
    const { asked, ask } = beside({})
    await ask('profile', ['web', 'web1,web2'], { vm_overrides: new Map([['size', 'big']]) })
    await ask('create', ['aws', 'web3'], { image: 'ami-1' })
    await ask('map_run', ['/etc/salt/shop.map'], { parallel: true })
    await ask('action', ['stop'], { names: 'web1' })
    await ask('destroy', ['web1'])
    expect(asked).toEqual([
      ['cloud.profile', { prof: 'web', instances: ['web1', 'web2'], vm_overrides: { size: 'big' } }],
      ['cloud.create', { image: 'ami-1', provider: 'aws', instances: ['web3'] }],
      ['cloud.map_run', { parallel: true, path: '/etc/salt/shop.map' }],
      ['cloud.action', { func: 'stop', instances: ['web1'] }],
      ['cloud.destroy', { instances: ['web1'] }],
    ])
  })

  it('queries providers for volumes, networks and interfaces', async () => {
    const answer = (fun: string) => ({ 'cloud.action': { aws: { ec2: { [fun]: { disk1: 'there' } } } } })
    expect(await beside(answer('volume_list')).ask('volume_list', ['aws'])).toEqual({ disk1: 'there' })
    expect(await beside(answer('network_list')).ask('network_list', ['aws'])).toEqual({ disk1: 'there' })
    for (const fun of ['volume_create', 'volume_delete', 'volume_attach', 'volume_detach', 'network_create']) {
      const { asked, ask } = beside(answer(fun))
      expect(await ask(fun, ['aws', 'disk1'], { size: 3 })).toEqual({ disk1: { disk1: 'there' } })
      expect(asked).toEqual([['cloud.action', { size: 3, func: fun, provider: 'aws', name: 'disk1' }]])
    }
    for (const fun of ['virtual_interface_list', 'virtual_interface_create']) {
      expect(await beside({}, false).ask(fun, ['aws', 'web1'])).toEqual({ Error: 'None' })
    }
  })

  it('says where it works', async () => {
    await expect(tryFunction(module, 'query')).rejects.toThrow('run on the machine of a master')
  })
})
