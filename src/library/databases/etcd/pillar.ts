// `etcd`: the data of an etcd server below a key.
import { type Dict, failure, isDict } from '../../../data/mod.ts'
import { arg, defineExtPillar } from '../../../sdk/mod.ts'
import { etcdOf, reportUnknownSettings } from './client.ts'

export default defineExtPillar({
  name: 'etcd',
  doc: 'The values of an etcd server below a key.',
  args: {
    conf: arg.text(
      'Name of the option with the profile (`etcd.host`, `etcd.port` …), and `root=/key`; `%(minion_id)s` stands for the id',
    ),
  },
  run: async (ctx, { conf }) => {
    const [name = '', root = ''] = conf.trim().split(/\s+/)
    const profile = ctx.opts.get(name)
    if (profile === undefined || !isDict(profile)) {
      throw failure(`The option '${name}', which is the profile of ext_pillar etcd, is not a mapping`)
    }
    reportUnknownSettings(profile as Dict, ctx.log)
    const path = root.startsWith('root=') ? root.slice('root='.length) : '/'
    // the id must stay one name in the path
    const own = path.replaceAll('%(minion_id)s', () => ctx.minionId.replaceAll('/', ''))
    const found = await etcdOf(ctx, profile as Dict).tree(own)
    if (!found) ctx.log('error', `No such key in etcd profile ${name}: ${own}`)
    return found ?? new Map()
  },
})
