import { describe, expect, it } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import states from './state.ts'

/** A provider with these machines and volumes, and the requests to it. */
function provider(machines: string[], volumes: Record<string, string[]> = {}) {
  const asked: string[] = []
  const note = (fun: string, answer: Value) => (args: readonly Value[]) => {
    asked.push([fun, ...args.map(String)].join(' '))
    return answer
  }
  const listed = new Map<Value, Value>(
    Object.entries(volumes).map(([name, attachments]) => [name, new Map<Value, Value>([['attachments', attachments]])]),
  )
  const others = {
    'cloud.has_instance': (args: readonly Value[]) => machines.includes(String(args[0])),
    'cloud.create': note('create', new Map([['web1', new Map([['id', 'i-1']])]])),
    'cloud.profile': note('profile', new Map([['web1', new Map([['id', 'i-1']])]])),
    'cloud.destroy': note('destroy', new Map([['aws', new Map()]])),
    'cloud.volume_list': () => listed,
    'cloud.volume_create': note('volume_create', new Map([['disk1', 'made']])),
    'cloud.volume_delete': note('volume_delete', new Map([['disk1', 'deleted']])),
    'cloud.volume_attach': note('volume_attach', new Map([['disk1', 'attached']])),
    'cloud.volume_detach': note('volume_detach', new Map([['disk1', 'detached']])),
    'cmd.retcode': (args: readonly Value[]) => (args[0] === 'true' ? 0 : 1),
  }
  const apply = async (fun: string, kwargs: Record<string, Value>, test = false) =>
    toPlain(await tryState(states, fun, { kwargs, others, test })) as Record<string, unknown>
  return { asked, apply }
}

describe('the states of cloud', () => {
  it('create a machine of a profile or a provider unless it exists', async () => {
    const { asked, apply } = provider([])
    expect(await apply('profile', { name: 'web1', profile: 'web' }, true)).toMatchObject({
      ...{ result: null, comment: 'Instance web1 needs to be created' },
    })
    expect(asked).toEqual([])
    expect(await apply('profile', { name: 'web1', profile: 'web' })).toMatchObject({
      ...{ result: true, comment: 'Created instance web1 using profile web', changes: { web1: { id: 'i-1' } } },
    })
    const made = await apply('present', { name: 'web1', cloud_provider: 'aws', image: 'ami-1' })
    expect(made['comment']).toBe(
      "Created instance web1 using provider aws and the following options: {'image': 'ami-1'}",
    )
    expect(asked).toEqual(['profile web web1', 'create aws web1'])
    expect(await provider(['web1']).apply('present', { name: 'web1', cloud_provider: 'aws' })).toMatchObject({
      ...{ result: true, comment: 'Already present instance web1', changes: {} },
    })
  })

  it('report why a machine was not created', async () => {
    const others = {
      'cloud.has_instance': () => false,
      'cloud.profile': () => new Map([['web1', new Map([['Error', 'no room']])]]),
    }
    const kwargs = { name: 'web1', profile: 'web' }
    expect(toPlain(await tryState(states, 'profile', { kwargs, others }))).toMatchObject({
      ...{ result: false, comment: 'Failed to create instance web1 using profile web: no room' },
    })
  })

  it('destroy an existing machine, and obey onlyif and unless', async () => {
    const { asked, apply } = provider(['web1'])
    expect(await apply('absent', { name: 'web2' })).toMatchObject({ comment: 'Already absent instance web2' })
    expect(await apply('absent', { name: 'web1', onlyif: 'false' })).toMatchObject({
      comment: 'onlyif condition is false',
    })
    expect(await apply('absent', { name: 'web1', unless: true })).toMatchObject({ comment: 'unless condition is true' })
    expect(asked).toEqual([])
    expect(await apply('absent', { name: 'web1' })).toMatchObject({ result: true, comment: 'Destroyed instance web1' })
    expect(asked).toEqual(['destroy web1'])
  })

  it('make, delete, attach and detach volumes', async () => {
    const none = provider(['web1'])
    expect(await none.apply('volume_present', { name: 'disk1', provider: 'aws' })).toMatchObject({
      changes: { old: null, new: { disk1: 'made' } },
    })
    expect(await none.apply('volume_absent', { name: 'disk1' })).toMatchObject({ comment: 'Volume is absent.' })
    expect(await none.apply('volume_attached', { name: 'disk1', server_name: 'web1' })).toMatchObject({
      ...{ result: false, comment: 'Volume disk1 does not exist' },
    })
    const free = provider(['web1'], { disk1: [] })
    expect(await free.apply('volume_detached', { name: 'disk1' })).toMatchObject({ result: true, changes: {} })
    expect(await free.apply('volume_attached', { name: 'disk1', server_name: 'web1' }, true)).toMatchObject({
      result: null,
    })
    expect(await free.apply('volume_attached', { name: 'disk1', server_name: 'web1' })).toMatchObject({ result: true })
    const used = provider(['web1'], { disk1: ['web1'] })
    expect(await used.apply('volume_detached', { name: 'disk1', server_name: 'web1' })).toMatchObject({ result: true })
    expect(await used.apply('volume_absent', { name: 'disk1' })).toMatchObject({ comment: 'Volume disk1 was deleted' })
    expect(used.asked).toEqual(['volume_detach null disk1', 'volume_delete null disk1'])
  })
})
