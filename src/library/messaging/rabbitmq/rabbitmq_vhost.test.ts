import { expect, test } from 'vitest'
import { fromPlain, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import vhost from './rabbitmq_vhost.state.ts'

test('rabbitmq_vhost.present and rabbitmq_vhost.absent act once', async () => {
  const vhosts = new Set<Value>(['/'])
  const others = {
    'rabbitmq.vhost_exists': ([name]: readonly Value[]) => vhosts.has(name!),
    'rabbitmq.add_vhost': ([name]: readonly Value[]) => {
      vhosts.add(name!)
      return fromPlain({ Added: 'Adding vhost "app" ...' })
    },
    'rabbitmq.delete_vhost': ([name]: readonly Value[]) => {
      vhosts.delete(name!)
      return fromPlain({ Deleted: 'Deleting vhost "app" ...' })
    },
  }
  const apply = async (fun: string, test = false) =>
    toPlain(await tryState(vhost, fun, { kwargs: { name: 'app' }, others, test }))
  const [came, went] = [
    { old: '', new: 'app' },
    { new: '', old: 'app' },
  ]
  expect(await apply('present', true)).toMatchObject({ result: null, changes: came })
  expect(await apply('present')).toMatchObject({ result: true, changes: came, comment: 'Adding vhost "app" ...' })
  expect(await apply('present')).toMatchObject({ result: true, changes: {} })
  expect(await apply('absent', true)).toMatchObject({ result: null, changes: went })
  expect(await apply('absent')).toMatchObject({ result: true, changes: went })
  expect(await apply('absent')).toMatchObject({ result: true, comment: "Virtual Host 'app' is not present." })
})
