// Which minions tell of themselves, by the beacon `status`: the last data of each, and when they came.
import { type Dict, float, fnmatch, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'
import { entryOf } from './register.ts'

const OWN = new Set(['id', 'recv_time'])

export default defineState({
  name: 'status',
  doc: 'Keeps in the register what minions tell of themselves by the beacon `status`.',
  functions: {
    reg: state({
      doc: 'Keeps under `status` the last data of each minion with the time they came, for `key.timeout` and others.',
      args: { name: arg.string('Any name') },
      run: (ctx, { name }) => {
        const thorium = thoriumOf(ctx)
        const entry = entryOf(thorium, 'status', () => new Map<Value, Value>([['val', new Map()]]))
        const changes: Dict = new Map()
        for (const event of thorium.events) {
          const tag = str(event.get('tag') ?? '')
          if (!fnmatch(tag, 'salt/beacon/*/status/*')) continue
          const data = event.get('data')
          const told = data !== undefined && isDict(data) ? (data.get('data') ?? data) : null
          if (!isDict(told) || !isDict(data!)) continue
          // the name in the tag is that of the minion that fired it
          const id = tag.split('/')[2]!
          const kept = [...told].filter(([key]) => !OWN.has(str(key)))
          ;(entry.get('val') as Dict).set(id, new Map<Value, Value>([['recv_time', float(ctx.host.now())], ...kept]))
          changes.set(id, true)
        }
        return reportOn(name)(true, '', changes)
      },
    }),
  },
})
