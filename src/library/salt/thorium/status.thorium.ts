// Stores the last data of the beacon `status` of each minion, with the time of receipt.
import { type Dict, float, fnmatch, isDict, str, type Value } from '../../../data/mod.ts'
import { arg, defineState, reportOn, state, thoriumOf } from '../../../sdk/mod.ts'
import { entryOf } from './register.ts'

const OWN = new Set(['id', 'recv_time'])

export default defineState({
  name: 'status',
  doc: 'Store the data of the beacon `status` in the register.',
  functions: {
    reg: state({
      doc: 'Store the last data of each minion and the time of receipt under `status`, for `key.timeout`.',
      args: { name: arg.string('Any text') },
      run: (ctx, { name }) => {
        const thorium = thoriumOf(ctx)
        const entry = entryOf(thorium, 'status', () => new Map<Value, Value>([['val', new Map()]]))
        const changes: Dict = new Map()
        for (const event of thorium.events) {
          const tag = str(event.get('tag') ?? '')
          if (!fnmatch(tag, 'salt/beacon/*/status/*')) continue
          const data = event.get('data')
          const report = data !== undefined && isDict(data) ? (data.get('data') ?? data) : null
          if (!isDict(report) || !isDict(data!)) continue
          // the minion id in the tag is proven
          const id = tag.split('/')[2]!
          const kept = [...report].filter(([key]) => !OWN.has(str(key)))
          ;(entry.get('val') as Dict).set(id, new Map<Value, Value>([['recv_time', float(ctx.host.now())], ...kept]))
          changes.set(id, true)
        }
        return reportOn(name)(true, '', changes)
      },
    }),
  },
})
