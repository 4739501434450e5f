// Events of a Kubernetes cluster, as a beacon.
import { type Dict, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { defineBeacon, dictOption } from '../../../sdk/mod.ts'
import { beaconTag, eventData } from './events.ts'

const VERSION = 'version'

export default defineBeacon({
  name: 'kubernetes',
  doc: 'Report events of a Kubernetes cluster since the last look. `namespace` and `types` (a list of Normal and Warning) choose them, `connection` has settings of the connection. The first look reports nothing.',
  when: (ctx) => ctx.has('kubernetes.events') || 'kubernetes.events is missing.',
  validate: (config) => {
    const types = config.get('types') ?? null
    if (types !== null && !isList(types)) return 'Types for kubernetes beacon must be a list.'
    const connection = config.get('connection') ?? null
    return connection === null || isDict(connection)
      ? undefined
      : 'Connection for kubernetes beacon must be a dictionary.'
  },
  beacon: async (ctx, config) => {
    const types = config.get('types') ?? null
    const last = ctx.memory.get(VERSION) as string | undefined
    const settings = [...dictOption(config, 'connection')].map(([name, value]): [string, Value] => [str(name), value])
    const kwargs = new Map<string, Value>([
      ...settings,
      ['namespace', config.get('namespace') ?? null],
      ['resource_version', last ?? null],
    ])
    const answer = (await ctx.call('kubernetes.events', [], kwargs)) as Dict
    ctx.memory.set(VERSION, str(answer.get('resource_version') ?? ''))
    const events = answer.get('events') ?? null
    if (last === undefined || !isList(events)) return []
    return events
      .filter(isDict)
      .filter((event) => !isList(types) || types.length === 0 || types.map(str).includes(str(event.get('type') ?? '')))
      .map((event) => eventData(event).set('tag', beaconTag(event)))
  },
})
