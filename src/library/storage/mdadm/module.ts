// Software RAID of Linux, through mdadm.
import { type Dict, failure, reEscape, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
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
  retcodeOf,
  runAll,
  succeeds,
} from '../../../sdk/mod.ts'

async function list(ctx: FunctionContext): Promise<Dict> {
  const found: Dict = new Map()
  for (const line of splitLines((await runAll(ctx, ['mdadm', '--detail', '--scan'])).stdout)) {
    if (!line.includes(' ')) continue
    const [, device = '', ...facts] = splitWords(line)
    const pairs = facts.map((fact): [Value, Value] => {
      const [key = '', value = ''] = fact.split('=')
      return [key.toLowerCase(), value]
    })
    found.set(device, new Map<Value, Value>([['device', device], ...pairs]))
  }
  return found
}

async function detail(ctx: FunctionContext, device: string): Promise<Dict> {
  if ((await ctx.host.stat(device)) === undefined) {
    throw failure(`Device ${device} doesn't exist!`)
  }
  const members: Dict = new Map()
  const found: Dict = new Map<Value, Value>([['members', members]])
  for (const line of splitLines((await runAll(ctx, ['mdadm', '--detail', device])).stdout)) {
    if (line.startsWith(device) || !line.includes(' ')) continue
    if (line.includes(':')) {
      const [key = '', value = ''] = line.split(' : ')
      found.set(key.toLowerCase().trim().replaceAll(' ', '_'), value.trim())
    } else if (line.includes('/dev/')) {
      const [number = '', major = '', minor = '', raiddevice = '', ...rest] = splitWords(line)
      const facts = { device: rest.at(-1) ?? '', major, minor, number, raiddevice, state: rest.slice(0, -1).join(' ') }
      members.set(number, new Map(Object.entries(facts)))
    }
  }
  return found
}

const configFile = (ctx: FunctionContext): string =>
  ctx.grains.get('os_family') === 'Debian' ? '/etc/mdadm/mdadm.conf' : '/etc/mdadm.conf'

async function destroy(ctx: FunctionContext, device: string): Promise<boolean> {
  if ((await ctx.host.stat(device)) === undefined) return false
  const members = [...((await detail(ctx, device)).get('members') as Dict).values()] as Dict[]
  // an array that goes on must stay in the configuration, or the next boot does not assemble it
  if (!(await succeeds(ctx, ['mdadm', '--stop', device]))) return false
  if (members.length > 0) {
    await retcodeOf(ctx, ['mdadm', '--zero-superblock', ...members.map((member) => member.get('device')!)])
  }
  const config = configFile(ctx)
  if ((await ctx.host.stat(config)) !== undefined)
    await ctx.call('file.replace', [config, `ARRAY ${reEscape(device)} .*`, ''])
  return !(await list(ctx)).has(device)
}

const optionWords = (given: ReadonlyMap<string, Value>): string[] =>
  [...given].flatMap(([key, value]) => {
    if (key.startsWith('__')) return []
    return value === true ? [`--${key}`] : [`--${key}`, str(value)]
  })

async function saveConfig(ctx: FunctionContext): Promise<Result> {
  let scan = splitLines(await outputOf(ctx, 'mdadm --detail --scan'))
  // mdadm of Ubuntu does not find arrays by these fields
  if (ctx.grains.get('os') === 'Ubuntu') scan = scan.map((line) => line.replaceAll(/\s(?:name|metadata)=\S+/gi, ''))
  const config = configFile(ctx)
  if ((await ctx.host.stat(config)) === undefined) await ctx.call('file.write', [config], { args: scan })
  else {
    for (const line of scan) {
      const pattern = `^ARRAY\\s+${reEscape(splitWords(line)[1] ?? '')}\\s+.*$`
      await ctx.call('file.replace', [config, pattern, line], { append_if_not_found: true })
    }
  }
  const family = ctx.grains.get('os_family')
  if (family === 'Debian') return outputOf(ctx, 'update-initramfs -u')
  return family === 'RedHat' ? outputOf(ctx, 'dracut --force') : null
}

const name = arg.string('Array, such as /dev/md0')
const device = arg.string('Device path')
const devices = arg.words('Devices, as a list or with commas')
const test_mode = arg.flag('Whether to return the command without running it', { default: false })

export default defineModule({
  name: 'mdadm_raid',
  virtual: 'raid',
  doc: 'Manage software RAID.',
  when: async ({ host, grains }) => {
    if (grains.get('kernel') !== 'Linux') return 'The mdadm execution module cannot be loaded: only available on Linux.'
    if ((await host.which('mdadm')) !== undefined) return true
    return 'The mdadm execution module cannot be loaded: the mdadm binary is not in the path.'
  },
  functions: {
    list: reads({
      doc: 'Return all arrays.',
      returns: ret.dict('The data by array'),
      calledAs: 'list_',
      run: list,
    }),
    detail: reads({
      doc: 'Return the details of an array.',
      example: 'raid.detail /dev/md0',
      args: { device: arg.string('Array', { default: '/dev/md0' }) },
      run: (ctx, { device }) => detail(ctx, device),
    }),
    destroy: changes({
      doc: 'Stop an array and erase its superblocks.',
      example: 'raid.destroy /dev/md0',
      args: { device },
      run: (ctx, { device }) => destroy(ctx, device),
    }),
    stop: changes({
      doc: 'Stop all arrays.',
      run: (ctx) => succeeds(ctx, ['mdadm', '--stop', '--scan']),
    }),
    create: changes({
      doc: 'Create an array.',
      example: "raid.create /dev/md0 level=1 chunk=256 devices=\"['/dev/xvdd', '/dev/xvde']\"",
      args: {
        name,
        level: arg.text('RAID level'),
        devices,
        metadata: arg.text('Metadata version', { default: 'default' }),
        test_mode,
        kwargs: arg.open('Further options of mdadm'),
      },
      run: (ctx, { name, level, devices, metadata, test_mode, kwargs }) => {
        const count = devices.length - Number(kwargs.get('spare-devices') ?? 0)
        const head = ['mdadm', '-C', name, '-R', '-v', '-l', level, ...optionWords(kwargs)]
        const words = [...head, '-e', metadata, '-n', str(count), ...devices]
        return test_mode ? words.join(' ') : outputOf(ctx, words)
      },
    }),
    save_config: changes({
      doc: 'Write all arrays to the configuration file.',
      run: saveConfig,
    }),
    assemble: changes({
      doc: 'Assemble an array.',
      example: "raid.assemble /dev/md0 ['/dev/xvdd', '/dev/xvde']",
      args: { name, devices, test_mode, kwargs: arg.open('Further options of mdadm') },
      run: (ctx, { name, devices, test_mode, kwargs }) => {
        const words = ['mdadm', '-A', name, '-v', ...optionWords(kwargs), ...devices]
        return test_mode ? words : outputOf(ctx, words)
      },
    }),
    examine: reads({
      doc: 'Return the RAID metadata of a device.',
      example: 'raid.examine /dev/sda1',
      args: {
        device,
        quiet: arg.flag('Whether a failure does not change the return code of the job', { default: false }),
      },
      run: async (ctx, { device, quiet }) => {
        const { stdout } = await runAll(ctx, ['mdadm', '-Y', '-E', operand('A device', device)], {
          ignore_retcode: quiet,
        })
        const pairs = splitLines(stdout).map((line): [Value, Value] => {
          const at = line.indexOf('=')
          return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
        })
        return new Map(pairs)
      },
      returns: ret.dict('The metadata'),
    }),
    add: changes({
      doc: 'Add a device to an array.',
      example: 'raid.add /dev/md0 /dev/sda1',
      args: { name, device },
      run: (ctx, { name, device }) =>
        succeeds(ctx, ['mdadm', '--manage', operand('An array', name), '--add', operand('A device', device)]),
    }),
  },
})
