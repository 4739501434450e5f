// ext2, ext3 and ext4 file systems, through e2fsprogs.
import { type Dict, dictFrom, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, type Result, reads } from '../../../sdk/mod.ts'

/** Parse option names and the letters of the tools. */
const letters = (spec: string): ReadonlyMap<string, string> =>
  new Map(spec.split(' ').map((pair) => pair.split(':') as [string, string]))

const MKFS = letters(
  'block_size:b check:c direct:D ext_opts:E fragment_size:f force:F blocks_per_group:g number_of_groups:G ' +
    'bytes_per_inode:i inode_size:I journal:j journal_opts:J blocks_file:l label:L reserved:m last_dir:M test:n ' +
    'number_of_inodes:N creator_os:o opts:O revision:r super:S usage_type:T uuid:U cluster_size:C root_directory:d ' +
    'errors_behavior:e',
)
const TUNE = letters(
  'max:c count:C error:e extended_opts:E force:f group:g interval:i journal:j journal_opts:J label:L last_dir:M ' +
    'opts:o feature:O mmp_check:p reserved:r reserved_percentage:m quota_opts:Q time:T user:u uuid:U',
)

function optionText(given: ReadonlyMap<string, Value>, known: ReadonlyMap<string, string>): string {
  const words = [...given].flatMap(([name, value]) => {
    const letter = known.get(name)
    if (letter === undefined) return []
    return [str(value).toLowerCase() === 'true' ? `-${letter} ` : `-${letter} ${str(value)} `]
  })
  return words.join('')
}

const NOISE =
  /^(?:mke2fs|Discarding device blocks|Allocating group tables|Writing inode tables|Creating journal|Writing superblocks)/

async function run(
  ctx: FunctionContext,
  command: string,
  full: boolean,
  keep: (line: string) => boolean,
): Promise<Result> {
  const all = new Map(await ctx.call('cmd.run_all', [command], { python_shell: false }))
  const text = `${str(all.get('stdout') ?? '')}\n${str(all.get('stderr') ?? '')}`
  const lines = splitLines(text).filter(keep)
  return full ? all.set('comment', lines) : lines
}

/** Parse the output of dumpe2fs: attributes, then block groups. */
async function dump(
  ctx: FunctionContext,
  device: string,
  args: string | null,
): Promise<{ attributes: Dict; blocks: Dict }> {
  const flags = args ? ` -${args}` : ''
  const [attributes, blocks]: [Dict, Dict] = [new Map(), new Map()]
  let group: Dict | undefined
  for (const line of splitLines(await outputOf(ctx, `dumpe2fs ${device}${flags}`))) {
    if (line === '' || line.startsWith('dumpe2fs')) continue
    const [key = '', ...values] = line.replaceAll('\t', ' ').split(': ')
    if (line.startsWith('Group') && (group !== undefined || !line.startsWith('Group descriptor size'))) {
      const [, number = '', , range = ''] = splitWords(line.replaceAll(/[:()[\]]/g, ''))
      group = dictFrom({ group: number, range, extra: [] })
      blocks.set(`Group ${number}`, group)
    } else if (group === undefined) {
      if (values.length === 0) continue
      attributes.set(key, line.startsWith('Filesystem features') ? splitWords(values[0]!) : values[0]!.trim())
    } else if (line.includes('Free blocks:')) group.set('free blocks', (values[0] ?? '').split(', '))
    else if (line.includes('Free inodes:')) group.set('free inodes', (values[0] ?? '').split(', '))
    else (group.get('extra') as Value[]).push(line.trim())
  }
  return { attributes, blocks }
}

const device = arg.text('Device path')
const full_return = arg.flag('Whether to return the whole result of the command', { default: false })
const args = arg.text('Option letters of dumpe2fs', { optional: true })

export default defineModule({
  name: 'extfs',
  doc: 'Manage ext2, ext3 and ext4 file systems.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' ||
    'The extfs execution module cannot be loaded: only available on non-Windows systems.',
  functions: {
    mkfs: changes({
      doc: 'Create a file system.',
      example: 'extfs.mkfs /dev/sda1 fs_type=ext4 opts=acl,noexec',
      args: {
        device,
        fs_type: arg.text('ext2, ext3 or ext4'),
        full_return,
        kwargs: arg.open('Options of mke2fs by their long names'),
      },
      run: (ctx, { device, fs_type, full_return, kwargs }) => {
        const command = `mke2fs -F -t ${fs_type} ${optionText(kwargs, MKFS)}${device}`
        return run(ctx, command, full_return, (line) => line !== '' && !NOISE.test(line))
      },
    }),
    tune: changes({
      doc: 'Change parameters of a file system.',
      example: 'extfs.tune /dev/sda1 force=True label=wildstallyns opts=acl,noexec',
      args: { device, full_return, kwargs: arg.open('Options of tune2fs by their long names') },
      run: (ctx, { device, full_return, kwargs }) =>
        run(ctx, `tune2fs ${optionText(kwargs, TUNE)}${device}`, full_return, () => true),
    }),
    attributes: reads({
      doc: 'Return the attributes of a file system.',
      example: 'extfs.attributes /dev/sda1',
      args: { device, args },
      run: async (ctx, given) => (await dump(ctx, given.device, given.args)).attributes,
    }),
    blocks: reads({
      doc: 'Return the block groups of a file system.',
      example: 'extfs.blocks /dev/sda1',
      args: { device, args },
      run: async (ctx, given) => (await dump(ctx, given.device, given.args)).blocks,
    }),
    dump: reads({
      doc: 'Return the attributes and block groups of a file system.',
      example: 'extfs.dump /dev/sda1',
      args: { device, args },
      run: async (ctx, given) => ({ ...(await dump(ctx, given.device, given.args)) }),
    }),
  },
})
