// The beacons of the minion. A running minion is asked over its event bus; without one nothing is known of them.
import { dirname, join } from 'node:path/posix'
import { PRIVATE_FILE } from '../../../base/mod.ts'
import { type Dict, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  dumpYaml,
  type FunctionContext,
  isHostError,
  option,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { askBeacons, beaconsIn, currentBeacons, type Given, report } from './module/asking.ts'
import { addBeacon, deleteBeacon, modifyBeacon } from './module/changing.ts'
import { resetBeacons, switchAll, switchBeacon } from './module/switching.ts'

const yaml = (beacons: Value): Promise<string> =>
  dumpYaml(new Map([['beacons', beacons]]), { default_flow_style: false })

async function available(ctx: FunctionContext, asYaml: boolean, given: Given): Promise<Value> {
  const beacons = beaconsIn(await askBeacons(ctx, { func: 'list_available' }, 'beacons_list_available_complete', given))
  if (beacons === undefined || !truthy(beacons)) return new Map([['beacons', new Map()]])
  return asYaml ? yaml(beacons) : beacons
}

async function save(ctx: FunctionContext, given: Given): Promise<Dict> {
  const beacons = await currentBeacons(ctx, given, false)
  const file = option(ctx.opts, 'conf_file')
  const include = option(ctx.opts, 'default_include')
  const path = join(dirname(file), dirname(include), 'beacons.conf')
  try {
    await ctx.host.write(path, truthy(beacons) ? await yaml(beacons) : '', { mode: PRIVATE_FILE })
    return report(true, `Beacons saved to ${path}.`)
  } catch (error) {
    if (!isHostError(error)) throw error
    return report(false, `Unable to write to beacons file at ${path}. Check permissions.`)
  }
}

const name = arg.any('The beacon')
const beacon_data = arg.any('Its configuration: a list of dicts, or a dict')
const return_yaml = arg.boolean('As YAML text', { default: true })
const kwargs = arg.open('Further options: test, timeout')

/** A function about one beacon, or about all. */
const about = (doc: string, fun: string, run: (ctx: FunctionContext, name: Value, given: Given) => Promise<Dict>) =>
  changes({
    doc,
    args: { name, kwargs },
    returns: ret.dict('What became of it'),
    example: `beacons.${fun} ps`,
    run: (ctx, { name, kwargs }) => run(ctx, name, kwargs),
  })

const aboutAll = (doc: string, fun: string, run: (ctx: FunctionContext, given: Given) => Promise<Dict>) =>
  changes({
    doc,
    args: { kwargs },
    returns: ret.dict('What became of it'),
    example: `beacons.${fun}`,
    run: (ctx, { kwargs }) => run(ctx, kwargs),
  })

export default defineModule({
  name: 'beacons',
  doc: 'The beacons of the minion.',
  functions: {
    list: reads({
      doc: 'The beacons that are configured.',
      calledAs: 'list_',
      args: {
        return_yaml,
        include_pillar: arg.any('Those of the pillar too', { default: true }),
        include_opts: arg.any('Those of the configuration too', { default: true }),
        kwargs,
      },
      returns: ret.any('YAML text, or a dict'),
      example: 'beacons.list',
      run: async (ctx, { return_yaml, include_pillar, include_opts, kwargs }) => {
        const beacons = await currentBeacons(
          ctx,
          new Map([...kwargs, ...Object.entries({ include_pillar, include_opts })]),
        )
        return return_yaml ? yaml(beacons) : beacons
      },
    }),
    list_available: reads({
      doc: 'The kinds of beacons there are.',
      args: { return_yaml, kwargs },
      returns: ret.any('YAML text, or a dict'),
      example: 'beacons.list_available',
      run: (ctx, { return_yaml, kwargs }) => available(ctx, return_yaml, kwargs),
    }),
    add: changes({
      doc: 'Add a beacon.',
      args: { name, beacon_data, kwargs },
      returns: ret.dict('What became of it'),
      example: "beacons.add ps \"[{'processes': {'salt-master': 'stopped'}}]\"",
      run: (ctx, { name, beacon_data, kwargs }) => addBeacon(ctx, name, beacon_data, kwargs),
    }),
    modify: changes({
      doc: 'Change a beacon.',
      args: { name, beacon_data, kwargs },
      returns: ret.dict('What became of it'),
      example: "beacons.modify ps \"[{'salt-master': 'stopped'}]\"",
      run: (ctx, { name, beacon_data, kwargs }) => modifyBeacon(ctx, name, beacon_data, kwargs),
    }),
    delete: about('Remove a beacon.', 'delete', deleteBeacon),
    save: aboutAll('Write the beacons to a file of the configuration.', 'save', save),
    enable: aboutAll('Switch all beacons on.', 'enable', (ctx, given) => switchAll(ctx, given, true)),
    disable: aboutAll('Switch all beacons off.', 'disable', (ctx, given) => switchAll(ctx, given, false)),
    enable_beacon: about('Switch a beacon on.', 'enable_beacon', (ctx, name, given) =>
      switchBeacon(ctx, name, given, true),
    ),
    disable_beacon: about('Switch a beacon off.', 'disable_beacon', (ctx, name, given) =>
      switchBeacon(ctx, name, given, false),
    ),
    reset: aboutAll('Go back to the beacons of the configuration.', 'reset', resetBeacons),
  },
})
