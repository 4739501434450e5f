// Quotas of users and groups on file systems.
import { type Dict, failure, misuse, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  operand,
  outputOf,
  type Result,
  reads,
  ret,
  runAll,
} from '../../../sdk/mod.ts'

const COLUMNS = [
  'block-used',
  'block-soft-limit',
  'block-hard-limit',
  'block-grace',
  'file-used',
  'file-soft-limit',
  'file-hard-limit',
  'file-grace',
]
const LIMITS = ['block-soft-limit', 'block-hard-limit', 'file-soft-limit', 'file-hard-limit']

async function quotas(ctx: FunctionContext, mount: string, option: '-u' | '-g'): Promise<Dict> {
  const entries: Dict = new Map()
  const found: Dict = new Map([[option === '-u' ? 'Users' : 'Groups', entries]])
  let isTable = false
  for (const line of splitLines(await outputOf(ctx, ['repquota', '-vp', option, operand('A mount point', mount)]))) {
    const words = splitWords(line)
    if (line.includes('Block grace time') && !isTable) {
      const [block = '', inode = ''] = line.split(';')
      found.set('Block Grace Time', [block.split(': ').at(-1)!])
      found.set('Inode Grace Time', [inode.split(': ').at(-1)!])
    } else if (!isTable) isTable = line.startsWith('-')
    else if (words.length >= 8) {
      entries.set(words[0]!, new Map(COLUMNS.map((name, at): [Value, Value] => [name, words[at + 2] ?? ''])))
    }
  }
  return found
}

/** Set limits; as in Salt, limits that are not given become 0. */
async function set(ctx: FunctionContext, device: string, kwargs: ReadonlyMap<string, Value>): Promise<Result> {
  const [user, group] = [kwargs.get('user'), kwargs.get('group')]
  if (user !== undefined && group !== undefined) {
    throw misuse('Please specify a user or group, not both.')
  }
  if (user === undefined && group === undefined) {
    throw failure('A valid user or group was not found')
  }
  const [option, kind, name] = user === undefined ? ['-g', 'Group', group!] : ['-u', 'User', user]
  const limits = Object.fromEntries(LIMITS.map((limit) => [limit, kwargs.get(limit) ?? 0]))
  const numbers = LIMITS.map((limit) => str(limits[limit]!))
  const words = ['setquota', option, operand(`A ${kind.toLowerCase()}`, str(name)), ...numbers, device]
  const { retcode, stderr } = await runAll(ctx, words)
  if (retcode === 0) return { [`${kind}: ${str(name)}`]: limits }
  throw failure(`Unable to set desired quota. Error follows: \n${stderr}`)
}

async function modes(ctx: FunctionContext, device: string): Promise<Record<string, Result>> {
  const found: Record<string, Record<string, string> | string> = {}
  for (const line of splitLines(await outputOf(ctx, ['quotaon', '-p', operand('A device', device)]))) {
    const words = splitWords(line)
    if (words[0]?.startsWith('quotaon')) {
      if (words[1]?.startsWith('Mountpoint')) found[words[4]!] = 'disabled'
      else if (words[1]?.startsWith('Cannot')) return { [device]: 'Not found' }
      continue
    }
    const [kind = '', , , mount = '', from = '', , state = ''] = words
    const entry = found[mount] ?? { device: from.replaceAll(/[()]/g, '') }
    found[mount] = typeof entry === 'string' ? entry : { ...entry, [kind]: state }
  }
  return found
}

async function mustRun(ctx: FunctionContext, words: readonly string[]): Promise<void> {
  const { retcode, stdout, stderr } = await runAll(ctx, words)
  if (retcode !== 0) throw failure(`${words[0]} failed: ${stderr || stdout}`)
}

const device = arg.string('Mount point or device')

export default defineModule({
  name: 'quota',
  doc: 'Manage quotas on file systems.',
  when: async ({ grains, host }) =>
    (grains.get('kernel') !== 'Windows' && (await host.which('setquota')) !== undefined) ||
    'The quota execution module cannot be loaded: the module is only available on POSIX-like systems with the setquota binary available.',
  functions: {
    report: reads({
      doc: 'Return the quotas on a file system.',
      example: 'quota.report /media/data',
      args: { mount: device },
      run: async (ctx, { mount }) => ({
        [mount]: { 'User Quotas': await quotas(ctx, mount, '-u'), 'Group Quotas': await quotas(ctx, mount, '-g') },
      }),
    }),
    set: {
      ...changes({
        doc: 'Set a quota.',
        example: 'quota.set /media/data user=larry block-soft-limit=1048576',
        args: { device, kwargs: arg.open('`user` or `group`, and limits such as `block-soft-limit`') },
        run: (ctx, { device, kwargs }) => set(ctx, device, kwargs),
      }),
      calledAs: 'set_',
    },
    warn: changes({
      doc: 'Warn users who exceed their quota.',
      run: async (ctx) => {
        await outputOf(ctx, ['quotawarn'])
      },
    }),
    stats: reads({
      doc: 'Return the counters of the quota system.',
      run: async (ctx) => {
        const lines = splitLines(await outputOf(ctx, 'quotastats')).filter((line) => line !== '')
        return Object.fromEntries(lines.map((line) => line.split(': ')))
      },
    }),
    on: changes({
      doc: 'Enable quotas.',
      example: 'quota.on /media/data',
      args: { device },
      run: async (ctx, { device }) => {
        await mustRun(ctx, ['quotaon', operand('A device', device)])
        return true
      },
    }),
    off: changes({
      doc: 'Disable quotas.',
      example: 'quota.off /media/data',
      args: { device },
      run: async (ctx, { device }) => {
        await mustRun(ctx, ['quotaoff', operand('A device', device)])
        return true
      },
    }),
    get_mode: reads({
      doc: 'Return whether quotas are enabled.',
      example: 'quota.get_mode /media/data',
      args: { device },
      run: (ctx, { device }) => modes(ctx, device),
      returns: ret.dict('The device and the enabled quota types, by mount point'),
    }),
  },
})
