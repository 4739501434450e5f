// Block devices are tuned, and have a file system. What a new one has is asked of blkid until it says so.
import { lookup } from '../../../base/mod.ts'
import { type Dict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  defineState,
  outputOf,
  type Result,
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

async function tuned(ctx: StateContext, name: string, wishes: ReadonlyMap<string, Value>): Promise<StateReturn> {
  const report = (result: boolean | null, comment: string, changes: Result = {}): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
  if ((await ctx.host.stat(name))?.type !== 'block') {
    return report(false, `Changes to ${name} cannot be applied. Not a block device.`)
  }
  if (ctx.test) return report(null, `Changes to ${name} will be applied `)
  const before = (await ctx.call('disk.dump', [name])) as Dict
  const after = (await ctx.call('disk.tune', [name], wishes)) as Dict
  if (!truthy(after)) return report(false, `Failed to modify block device ${name}`)
  const changes: Record<string, Result> = {}
  for (const [wish, value] of wishes) {
    const told = SWITCHES[wish]
    if (told === undefined || before.get(told) === after.get(told)) continue
    const shown = (facts: Dict): string => {
      if (typeof value !== 'boolean') return str(facts.get(told) ?? null)
      return str((facts.get(told) === '1') !== (wish === 'read-write'))
    }
    changes[wish] = `Changed from ${shown(before)} to ${shown(after)}`
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
  const report = (result: boolean | null, comment: string, changes: Result = {}): StateReturn => ({
    name,
    changes,
    result,
    comment,
  })
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
  doc: 'Block devices.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' || 'Cannot load the blockdev state module: disk execution module not found',
  functions: {
    tuned: state({
      doc: 'A device is tuned.',
      args: {
        name: arg.string('The device'),
        kwargs: arg.open('read-ahead, filesystem-read-ahead, read-only, read-write'),
      },
      run: (ctx, { name, kwargs }) => tuned(ctx, name, kwargs),
    }),
    formatted: state({
      doc: 'A device has a file system.',
      args: {
        name: arg.string('The device'),
        fs_type: arg.string('The file system', { default: 'ext4' }),
        force: arg.flag('Whether what is there is overwritten', { default: false }),
        kwargs: arg.open('Further options of disk.format'),
      },
      run: (ctx, { name, fs_type, force, kwargs }) =>
        formatted(ctx, name, fs_type, new Map([...kwargs, ['force', force]])),
    }),
  },
})
