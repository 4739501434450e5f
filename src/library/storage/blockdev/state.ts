// States of block devices: parameters and file systems. After formatting, poll blkid until it shows the new file system.
import { lookup } from '../../../base/mod.ts'
import { type Dict, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  outputOf,
  type Result,
  reportOn,
  type StateContext,
  type StateReturn,
  state,
} from '../../../sdk/mod.ts'

const SWITCHES: Readonly<Record<string, string>> = lookup({
  'read-ahead': 'getra',
  'filesystem-read-ahead': 'getfra',
  'read-only': 'getro',
  'read-write': 'getro',
})

async function tuned(ctx: StateContext, name: string, parameters: ReadonlyMap<string, Value>): Promise<StateReturn> {
  const report = reportOn(name)
  if ((await ctx.host.stat(name))?.type !== 'block') {
    return report(false, `Changes to ${name} cannot be applied. Not a block device.`)
  }
  if (ctx.test) return report(null, `Changes to ${name} will be applied `)
  const before = await ctx.call('disk.dump', [name])
  const after = await ctx.call('disk.tune', [name], parameters)
  if (!before || !after || after.size === 0) return report(false, `Failed to modify block device ${name}`)
  const changes: Record<string, Result> = {}
  for (const [parameter, value] of parameters) {
    const fact = SWITCHES[parameter]
    if (fact === undefined || before.get(fact) === after.get(fact)) continue
    const shown = (facts: Dict): string => {
      if (typeof value !== 'boolean') return str(facts.get(fact) ?? null)
      return str((facts.get(fact) === '1') !== (parameter === 'read-write'))
    }
    changes[parameter] = `Changed from ${shown(before)} to ${shown(after)}`
  }
  if (Object.keys(changes).length === 0) return report(true, `Block device ${name} already in correct state`)
  return report(true, `Block device ${name} successfully modified `, changes)
}

const typeOf = (ctx: StateContext, name: string): Promise<string> =>
  outputOf(ctx, ['blkid', '-o', 'value', '-s', 'TYPE', name], { ignore_retcode: true })

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function formatted(
  ctx: StateContext,
  name: string,
  type: string,
  options: ReadonlyMap<string, Value>,
): Promise<StateReturn> {
  const report = reportOn(name)
  if ((await ctx.host.stat(name)) === undefined) return report(false, `${name} does not exist`)
  if ((await typeOf(ctx, name)) === type) return report(true, `${name} already formatted with ${type}`)
  if ((await ctx.host.which(`mkfs.${type}`)) === undefined) return report(false, `Invalid fs_type: ${type}`)
  if (ctx.test) return report(null, `Changes to ${name} will be applied `)
  await ctx.call('disk.format', [name, type], options)
  for (let attempt = 1; attempt <= 10; attempt++) {
    const now = await typeOf(ctx, name)
    if (now === type) return report(true, `${name} has been formatted with ${type}`, { new: type, old: now })
    if (now !== '') break
    ctx.log('info', `Check blk fstype attempt ${attempt} of 10`)
    await pause(3000)
  }
  return report(false, `Failed to format ${name}`)
}

export default defineState({
  name: 'blockdev',
  doc: 'Manage block devices.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' || 'Cannot load the blockdev state module: disk execution module not found',
  functions: {
    tuned: state({
      doc: 'Ensure that a block device has parameters.',
      args: {
        name: arg.string('Device path'),
        kwargs: arg.open('read-ahead, filesystem-read-ahead, read-only, read-write'),
      },
      run: (ctx, { name, kwargs }) => tuned(ctx, name, kwargs),
    }),
    formatted: state({
      doc: 'Ensure that a block device has a file system.',
      args: {
        name: arg.string('Device path'),
        fs_type: arg.string('File system type', { default: 'ext4' }),
        force: arg.flag('Whether to overwrite an existing file system', { default: false }),
        kwargs: arg.open('Further options of disk.format'),
      },
      run: (ctx, { name, fs_type, force, kwargs }) =>
        formatted(ctx, name, fs_type, new Map([...kwargs, ['force', force]])),
    }),
  },
})
