// Encrypted block devices: mapped devices, and the lines of /etc/crypttab. A line has a name, a device, a key and optional
// options.
import { type Dict, dictFrom, failure, isList, splitWords, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  reads,
  ret,
  retcodeOf,
} from '../../../sdk/mod.ts'

const FIELDS = ['name', 'device', 'password', 'options'] as const

type Field = (typeof FIELDS)[number]
type Entry = Record<Field, string>

/** Parse a line; undefined for comments and invalid lines. */
function entryOf(line: string): Entry | undefined {
  if (line.startsWith('#')) return undefined
  const words = splitWords(line)
  if (words.length === 3) words.push('')
  if (words.length !== 4) return undefined
  const [name = '', device = '', password = '', options = ''] = words
  return { name, device, password, options }
}

const lineOf = ({ name, device, password, options }: Entry): string =>
  `${name.padEnd(12)} ${device.padEnd(44)} ${password.padEnd(22)} ${options}\n`

const isLike = (entry: Entry, wanted: Entry, fields: readonly Field[]): boolean =>
  fields.every((field) => entry[field] === wanted[field])

/** Return the lines of a file, including line ends. */
async function linesOf(ctx: FunctionContext, config: string): Promise<string[]> {
  return new TextDecoder().decode(await ctx.host.read(config)).match(/[^\n]*\n|[^\n]+$/g) ?? []
}

async function listed(ctx: FunctionContext, config: string): Promise<Dict> {
  const found: Dict = new Map()
  if ((await ctx.host.stat(config))?.type !== 'file') return found
  for (const line of await linesOf(ctx, config)) {
    const entry = entryOf(line.replace(/\n+$/, ''))
    if (!entry) continue
    let { name } = entry
    while (found.has(name)) name += '_'
    const { device, password, options } = entry
    found.set(name, dictFrom({ device, password, options: options.split(',') }))
  }
  return found
}

async function remove(ctx: FunctionContext, name: string, config: string): Promise<string> {
  let lines: string[]
  try {
    lines = await linesOf(ctx, config)
  } catch (error) {
    if (!isHostError(error)) throw error
    throw failure(`Could not read from ${config}: ${error.message}`)
  }
  const left = lines.filter((line) => entryOf(line)?.name !== name)
  if (left.length === lines.length) return 'absent'
  await ctx.host.write(config, left.join(''))
  return 'change'
}

function optionText(options: Value): string {
  if (options === null) return ''
  if (typeof options === 'string') return options
  if (isList(options)) return options.map(str).join(',')
  throw failure('options must be a string or list of strings')
}

function fieldsOf(match_on: Value): Field[] {
  if (!isList(match_on) && typeof match_on !== 'string') throw failure('match_on must be a string or list of strings')
  const names = (isList(match_on) ? match_on : [match_on]).map(str)
  const unknown = names.filter((name) => !FIELDS.includes(name as Field))
  if (unknown.length > 0) throw failure(`Unrecognized keys in match_on: "${unknown.join(', ')}"`)
  return names as Field[]
}

type NewEntry = Bound<typeof setCrypttabArgs>

async function set(
  ctx: FunctionContext,
  { name, device, password, options, config, test, match_on }: NewEntry,
): Promise<string> {
  const wanted: Entry = { name, device, password: password || 'none', options: optionText(options) }
  const fields = fieldsOf(match_on)
  if ((await ctx.host.stat(config))?.type !== 'file') throw failure(`Bad config file "${config}"`)
  let outcome = 'new'
  const lines = (await linesOf(ctx, config)).map((line) => {
    const entry = entryOf(line)
    if (!entry || !isLike(entry, wanted, fields)) return line
    const isSame = isLike(entry, wanted, FIELDS)
    outcome = isSame ? 'present' : 'change'
    return isSame ? line : lineOf(wanted)
  })
  if (outcome === 'new') lines.push(lineOf(wanted))
  if (outcome !== 'present' && !test) await ctx.host.write(config, lines.join(''))
  return outcome
}

/** Return the mapped devices that dmsetup lists. */
async function active(ctx: FunctionContext): Promise<Dict> {
  const found: Dict = new Map()
  const text = await ctx.call('cmd.run_stdout', ['dmsetup ls --target crypt'])
  for (const line of text.split('\n')) {
    const [, devname, major = '', minor = ''] = /^(\S+)\s+\((\d+), (\d+)\)/.exec(line) ?? []
    if (devname === undefined) ctx.log('warning', 'dmsetup output does not match expected format')
    else {
      found.set(devname, dictFrom({ devname, major, minor }))
    }
  }
  return found
}

async function open(ctx: FunctionContext, name: string, device: string, keyfile: string): Promise<boolean> {
  if (['', 'none', '-'].includes(keyfile)) {
    throw failure('For immediate crypt device mapping, keyfile must not be none')
  }
  return (await retcodeOf(ctx, `cryptsetup open --key-file ${keyfile} ${device} ${name}`)) === 0
}

const name = arg.text('Name of the mapping')
const config = arg.string('Path of the table', { default: '/etc/crypttab' })

const setCrypttabArgs = {
  name,
  device: arg.text('Encrypted device'),
  password: arg.text('Path of the key file; `none` for a passphrase', { default: 'none' }),
  options: arg.any('Options, as text or list; other types are refused', { default: '' }),
  config,
  test: arg.boolean('Whether to return the outcome without writing', { default: false }),
  match_on: arg.any('Field or list of fields that identify an entry: name, device, password, options', {
    default: 'name',
  }),
}

export default defineModule({
  name: 'cryptdev',
  doc: 'Manage encrypted block devices.',
  when: ({ grains }) =>
    grains.get('kernel') !== 'Windows' || 'The cryptdev module cannot be loaded: not a POSIX-like system',
  functions: {
    active: reads({
      doc: 'Return the mapped devices.',
      returns: ret.dict('Device numbers by name'),
      run: (ctx) => active(ctx),
    }),
    crypttab: reads({
      doc: 'Return the entries of the table.',
      args: { config },
      returns: ret.dict('Entries by name'),
      run: (ctx, { config }) => listed(ctx, config),
    }),
    rm_crypttab: changes({
      doc: 'Remove an entry from the table.',
      args: { name, config },
      returns: ret.string('`change`, or `absent` if there was no such entry'),
      example: 'cryptdev.rm_crypttab data',
      run: (ctx, { name, config }) => remove(ctx, name, config),
    }),
    set_crypttab: changes({
      doc: 'Add an entry to the table, or change the matching one.',
      args: setCrypttabArgs,
      returns: ret.string('`new`, `change` or `present`'),
      example: 'cryptdev.set_crypttab data /dev/sdz1 /etc/data.key swap,size=256',
      run: set,
    }),
    open: changes({
      doc: 'Map a device with cryptsetup.',
      args: { name, device: arg.text('Encrypted device'), keyfile: arg.text('Path of the key file') },
      returns: ret.boolean('Whether the device is mapped'),
      example: 'cryptdev.open data /dev/sdz1 /etc/data.key',
      run: (ctx, { name, device, keyfile }) => open(ctx, name, device, keyfile),
    }),
    close: changes({
      doc: 'Unmap a device with cryptsetup.',
      args: { name },
      returns: ret.boolean('Whether the mapping was removed'),
      example: 'cryptdev.close data',
      run: async (ctx, { name }) => (await retcodeOf(ctx, `cryptsetup close ${name}`)) === 0,
    }),
  },
})
