// The beacons of the minion. Functions ask the minion daemon over its event bus.
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

const name = arg.text('Name of the beacon')
const outcome = ret.dict('`result`, `comment` and, for `modify`, `changes`')
const beacon_data = arg.any('Configuration of the beacon: a list of dicts, or a dict')
const return_yaml = arg.boolean('Return YAML text in place of a dict', { default: true })
const kwargs = arg.open('`test`, and `timeout` in seconds')

/** Declare a function for one beacon. */
const forOne = (doc: string, fun: string, run: (ctx: FunctionContext, name: string, given: Given) => Promise<Dict>) =>
  changes({
    doc,
    args: { name, kwargs },
    returns: outcome,
    example: `beacons.${fun} ps`,
    run: (ctx, { name, kwargs }) => run(ctx, name, kwargs),
  })

/** Declare a function for all beacons. */
const forAll = (doc: string, fun: string, run: (ctx: FunctionContext, given: Given) => Promise<Dict>) =>
  changes({
    doc,
    args: { kwargs },
    returns: outcome,
    example: `beacons.${fun}`,
    run: (ctx, { kwargs }) => run(ctx, kwargs),
  })

export default defineModule({
  name: 'beacons',
  doc: 'Manage the beacons of the minion.',
  functions: {
    list: reads({
      doc: 'Return the configured beacons.',
      calledAs: 'list_',
      args: {
        return_yaml,
        include_pillar: arg.flag('Include the beacons of the pillar', { default: true }),
        include_opts: arg.flag('Include the beacons of the configuration', { default: true }),
        kwargs,
      },
      returns: ret.any('YAML text, or a dict'),
      run: async (ctx, { return_yaml, include_pillar, include_opts, kwargs }) => {
        const beacons = await currentBeacons(
          ctx,
          new Map([...kwargs, ...Object.entries({ include_pillar, include_opts })]),
        )
        return return_yaml ? yaml(beacons) : beacons
      },
    }),
    list_available: reads({
      doc: 'Return the available beacon modules.',
      args: { return_yaml, kwargs },
      returns: ret.any('YAML text, or a dict'),
      run: (ctx, { return_yaml, kwargs }) => available(ctx, return_yaml, kwargs),
    }),
    add: changes({
      doc: 'Add a beacon.',
      args: { name, beacon_data, kwargs },
      returns: outcome,
      example: "beacons.add ps \"[{'processes': {'salt-master': 'stopped'}}]\"",
      run: (ctx, { name, beacon_data, kwargs }) => addBeacon(ctx, name, beacon_data, kwargs),
    }),
    modify: changes({
      doc: 'Change a beacon.',
      args: { name, beacon_data, kwargs },
      returns: outcome,
      example: "beacons.modify ps \"[{'salt-master': 'stopped'}]\"",
      run: (ctx, { name, beacon_data, kwargs }) => modifyBeacon(ctx, name, beacon_data, kwargs),
    }),
    delete: forOne('Remove a beacon.', 'delete', deleteBeacon),
    save: forAll('Save the beacons to a configuration file.', 'save', save),
    enable: forAll('Enable all beacons.', 'enable', (ctx, given) => switchAll(ctx, given, true)),
    disable: forAll('Disable all beacons.', 'disable', (ctx, given) => switchAll(ctx, given, false)),
    enable_beacon: forOne('Enable a beacon.', 'enable_beacon', (ctx, name, given) =>
      switchBeacon(ctx, name, given, true),
    ),
    disable_beacon: forOne('Disable a beacon.', 'disable_beacon', (ctx, name, given) =>
      switchBeacon(ctx, name, given, false),
    ),
    reset: forAll('Reset the beacons to those of the configuration.', 'reset', resetBeacons),
  },
})
