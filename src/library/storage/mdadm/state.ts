// States of software RAID arrays.
import { type Dict, repr, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  ensure,
  failed,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  settled,
  state,
} from '../../../sdk/mod.ts'

/** Group devices by the array they belong to; return new and missing devices as well. */
async function sorted(ctx: StateContext, devices: readonly string[]) {
  const members = new Map<string, string[]>()
  const [fresh, missing]: [string[], string[]] = [[], []]
  for (const device of devices) {
    if (device === 'missing' || !truthy(await ctx.call('file.access', [device, 'f']))) missing.push(device)
    else {
      const id = (await ctx.call('raid.examine', [device], { quiet: true })).get('MD_UUID')
      if (id === undefined) fresh.push(device)
      else members.set(str(id), [...(members.get(str(id)) ?? []), device])
    }
  }
  return { members, fresh, missing }
}

async function present(
  ctx: StateContext,
  name: string,
  level: string,
  devices: string[],
  options: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  const current = (await ctx.call('raid.list')).get(name) as Dict | undefined
  const { members, fresh, missing } = await sorted(ctx, devices)
  const report = reportOn(name)
  if (members.size > 1) {
    const ids = repr([...members.keys()].sort())
    return report(false, `Devices are a mix of RAID constituents with multiple MD_UUIDs: ${ids}.`)
  }
  const [[id, old] = ['', []]] = members
  if (members.size === 1 && current && current.get('uuid') !== id) {
    return report(false, `Devices MD_UUIDs: ${id} differs from present RAID uuid ${str(current.get('uuid')!)}.`)
  }
  const assembles = !current && old.length > 0
  if (!current && !assembles && fresh.length === 0) return report(false, `All devices are missing: ${repr(missing)}.`)
  const verb = assembles ? 'assembled' : 'created'
  const make = (more: Record<string, Value>): Value | Promise<Value> => {
    const all = new Map([...options, ...Object.entries(more)])
    const wanted = [...fresh, ...missing.map(() => 'missing')]
    return assembles ? ctx.call('raid.assemble', [name, old], all) : ctx.call('raid.create', [name, level, wanted], all)
  }
  const absentees = missing.length > 0 ? ` Missing devices: ${repr(missing)}` : ''
  const adds = (assembles || current !== undefined) && fresh.length > 0
  if (ctx.test) {
    const start = current
      ? `Raid ${name} already present.`
      : `Raid will be ${verb} with: ${str(await make({ test_mode: true }))}`
    const more = adds ? ` New devices will be added: ${repr(fresh)}` : ''
    return report(current && !adds ? true : null, start + more + absentees)
  }
  let comment = `Raid ${name} already present.`
  const changes: Record<string, Result> = {}
  if (!current) {
    await make({})
    const made = (await ctx.call('raid.list')).get(name) as Dict | undefined
    if (!made) return report(false, `Raid ${name} failed to be ${verb}.${absentees}`)
    for (const [key, value] of made) changes[str(key)] = value
    comment = `Raid ${name} ${verb}.`
    await ctx.call('raid.save_config')
  }
  let result = true
  for (const device of adds ? fresh : []) {
    const added = truthy(await ctx.call('raid.add', [name, device]))
    comment += added ? ` Added new device ${device} to ${name}.\n` : ` Unable to add ${device} to ${name}.\n`
    result &&= added
  }
  if (adds && result) changes['added'] = fresh
  return report(result, comment + absentees, changes)
}

function absent(ctx: StateContext, name: string): Promise<StateReturn> {
  return ensure(ctx, {
    name,
    look: async () => ((await ctx.call('raid.list')).has(name) ? 'present' : settled(`Raid ${name} already absent`)),
    foresee: () => `Raid ${name} is set to be destroyed`,
    act: async () => {
      const isDestroyed = truthy(await ctx.call('raid.destroy', [name]))
      return isDestroyed ? settled(`Raid ${name} has been destroyed`) : failed(`Raid ${name} failed to be destroyed`)
    },
  })
}

export default defineState({
  name: 'mdadm_raid',
  virtual: 'raid',
  doc: 'Manage software RAID.',
  when: async ({ host, grains }) => {
    if (grains.get('kernel') !== 'Linux') return 'Only supported on Linux'
    return (await host.which('mdadm')) !== undefined || 'Unable to locate command: mdadm'
  },
  functions: {
    present: state({
      doc: 'Ensure that an array of devices exists.',
      args: {
        name: arg.string('Array, such as /dev/md0'),
        level: arg.text('RAID level'),
        devices: arg.list('Devices; `missing` for an absent one'),
        kwargs: arg.open('Further options of mdadm'),
      },
      run: (ctx, { name, level, devices, kwargs }) => present(ctx, name, level, devices.map(str), kwargs),
    }),
    absent: state({
      doc: 'Ensure that an array is absent.',
      args: { name: arg.string('Array, such as /dev/md0') },
      run: (ctx, { name }) => absent(ctx, name),
    }),
  },
})
